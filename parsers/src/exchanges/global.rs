//! Builds exchanges from a trace that contains the events of every node.

use std::collections::HashMap;

use crate::base::{Warning, WarningCode};
use crate::exchanges::attempts::Attempts;
use crate::exchanges::hearing::{self, Hearing};
use crate::exchanges::queueing::{Arrivals, HeadOfLine};
use crate::exchanges::span::is_on_air;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Direction, Frame};

/// Maximum number of nodes tracked at a time. If a trace has more, the state of all nodes is reset at the
/// limit.
const NODES: usize = 16_384;

/// Reconstructs the exchanges of a simulation (ns-2) as each node observed them. `Exchange::observer` is the
/// node; `exchange_no` counts per node.
///
/// A node observes the frames that it sent, those that were addressed to it and that it received, and those to
/// others whose transmitter it hears ([`Hearing`]).
#[derive(Clone, Debug, Default)]
pub struct GlobalExchangeBuilder {
    nodes: HashMap<Addr, Node>,
    attempts: Attempts,
    arrivals: Arrivals,
    hearing: Hearing,
    /// Events to come that `hearing` has already.
    learned: usize,
}

#[derive(Clone, Debug)]
struct Node {
    view: View,
    head: HeadOfLine,
}

impl GlobalExchangeBuilder {
    /// Builder for a trace from its beginning.
    pub fn new() -> GlobalExchangeBuilder {
        GlobalExchangeBuilder::default()
    }

    /// Infers which nodes hear each other from the first frames of the trace, which still have to be pushed.
    pub fn learn(&mut self, first: &[Frame]) {
        first.iter().for_each(|frame| self.hearing.observe(frame));
        self.learned += first.len();
    }

    /// Adds the next event and appends the exchanges that it closes to `rows`. Events without a node are
    /// ignored. Queue and router events set `queue_ns` and `access_ns`.
    pub fn push(&mut self, frame: &Frame, rows: &mut Vec<Exchange>) {
        match self.learned {
            0 => self.hearing.observe(frame),
            _ => self.learned -= 1,
        }
        let Some(observer) = frame.observer else { return };
        if self.nodes.len() >= NODES && !self.nodes.contains_key(&observer) {
            self.finish(rows);
        }
        if is_on_air(frame) {
            self.push_on_air(observer, frame, rows);
            if frame.direction == Some(Direction::Tx) && self.hearing.is_inferred() {
                self.push_overheard(observer, frame, rows);
            }
        } else {
            let node = self.nodes.entry(observer).or_insert_with(|| Node::new(observer));
            node.head.note_drop(frame);
            self.arrivals.note(observer, frame);
        }
    }

    fn push_on_air(&mut self, observer: Addr, frame: &Frame, rows: &mut Vec<Exchange>) {
        let node = self.nodes.entry(observer).or_insert_with(|| Node::new(observer));
        let first = rows.len();
        node.view.push(frame, &mut Sink { attempts: &mut self.attempts, rows });
        node.measure(observer, rows.get_mut(first..), &mut self.arrivals);
    }

    /// Adds a transmission to the views of the nodes that hear it. Those that it is addressed to have a
    /// reception of their own in the trace, or none.
    fn push_overheard(&mut self, from: Addr, frame: &Frame, rows: &mut Vec<Exchange>) {
        if frame.ra.is_none_or(Addr::is_group) {
            return;
        }
        let listeners: Vec<Addr> = self.hearing.listeners(from).filter(|&node| frame.ra != Some(node)).collect();
        for listener in listeners {
            let heard = Frame { observer: Some(listener), direction: Some(Direction::Rx), ..frame.clone() };
            self.push_on_air(listener, &heard, rows);
        }
    }

    /// Doubts about what the nodes heard.
    pub fn warnings(&self) -> Vec<Warning> {
        let message = format!(
            "the trace has more than {} nodes; which of them hear each other was not inferred, so each node's view \
             holds only its own frames",
            hearing::MAX_NODES
        );
        let warning = Warning { frame_no: None, offset: None, code: WarningCode::HearingUnknown, message };
        self.hearing.has_too_many_nodes().then_some(warning).into_iter().collect()
    }

    /// Appends the exchanges that are still open at the end of the trace, node by node.
    pub fn finish(&mut self, rows: &mut Vec<Exchange>) {
        let mut nodes: Vec<(Addr, Node)> = self.nodes.drain().collect();
        nodes.sort_unstable_by_key(|(observer, _)| *observer);
        for (observer, mut node) in nodes {
            let first = rows.len();
            node.view.finish(&mut Sink { attempts: &mut self.attempts, rows });
            node.measure(observer, rows.get_mut(first..), &mut self.arrivals);
        }
    }
}

impl Node {
    fn new(observer: Addr) -> Node {
        Node { view: View::new(Some(observer)), head: HeadOfLine::default() }
    }

    fn measure(&mut self, observer: Addr, rows: Option<&mut [Exchange]>, arrivals: &mut Arrivals) {
        for row in rows.into_iter().flatten() {
            self.head.measure(observer, row, arrivals);
        }
    }
}
