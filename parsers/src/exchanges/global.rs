//! Exchanges out of a trace that holds the events of every node.

use std::collections::HashMap;

use crate::exchanges::attempts::Attempts;
use crate::exchanges::queueing::{Arrivals, HeadOfLine};
use crate::exchanges::span::is_on_air;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame};

/// Nodes followed at a time. A trace of more starts over with each node when the limit is reached.
const NODES: usize = 16_384;

/// Rebuilds the exchanges of a simulation (ns-2), as each node saw them from what it sent and
/// received. `Exchange::observer` is the node; `exchange_no` counts per node.
#[derive(Clone, Debug, Default)]
pub struct GlobalExchangeBuilder {
    nodes: HashMap<Addr, Node>,
    attempts: Attempts,
    arrivals: Arrivals,
}

#[derive(Clone, Debug)]
struct Node {
    view: View,
    head: HeadOfLine,
}

impl GlobalExchangeBuilder {
    /// For a trace from its beginning.
    pub fn new() -> GlobalExchangeBuilder {
        GlobalExchangeBuilder::default()
    }

    /// Takes the next event and appends the exchanges that are over to `rows`. Events of no node are
    /// passed over; queue and router events tell `queue_ns` and `access_ns`.
    pub fn push(&mut self, frame: &Frame, rows: &mut Vec<Exchange>) {
        let Some(observer) = frame.observer else { return };
        if self.nodes.len() >= NODES && !self.nodes.contains_key(&observer) {
            self.finish(rows);
        }
        let node = self.nodes.entry(observer).or_insert_with(|| Node::new(observer));
        if is_on_air(frame) {
            let first = rows.len();
            node.view.push(frame, &mut Sink { attempts: &mut self.attempts, rows });
            node.measure(observer, rows.get_mut(first..), &mut self.arrivals);
        } else {
            node.head.note_drop(frame);
            self.arrivals.note(observer, frame);
        }
    }

    /// Appends what is still in progress at the end of the trace, node by node.
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
