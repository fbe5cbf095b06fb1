//! Builds exchanges from a trace that contains the events of every node.

use std::collections::HashMap;

use crate::exchanges::attempts::Attempts;
use crate::exchanges::queueing::{Arrivals, HeadOfLine};
use crate::exchanges::span::is_on_air;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame};

/// Maximum number of nodes tracked at a time. If a trace has more, the state of all nodes is reset at the
/// limit.
const NODES: usize = 16_384;

/// Reconstructs the exchanges of a simulation (ns-2) as each node observed them, from the frames that it sent
/// and received. `Exchange::observer` is the node; `exchange_no` counts per node.
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
    /// Builder for a trace from its beginning.
    pub fn new() -> GlobalExchangeBuilder {
        GlobalExchangeBuilder::default()
    }

    /// Adds the next event and appends the exchanges that it closes to `rows`. Events without a node are
    /// ignored. Queue and router events set `queue_ns` and `access_ns`.
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
