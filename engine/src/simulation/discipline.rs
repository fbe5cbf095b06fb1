//! The discipline above a radio's queues: what they have no room for.

use crate::index::NodeId;
use crate::network::{Held, Waiting};
use crate::record::Cause;

use super::Simulation;

impl Simulation {
    /// A packet joins the discipline above a radio's queues, and leaves it at once if there is room below.
    pub(super) fn hold_above(&mut self, node: NodeId, held: Held) {
        let Some(discipline) = &mut self.nodes[node].discipline else { return };
        if let Some(dropped) = discipline.push(held) {
            self.drop_packet(dropped.waiting.packet, Some(dropped.link), Cause::Queue, node);
        }
        self.fill(node);
    }

    /// Fills a radio's queues from the discipline above them.
    pub(super) fn fill(&mut self, node: NodeId) {
        let mut late = vec![];
        while let Some(Held { waiting, link, .. }) = self.next_above(node, &mut late) {
            let waiting = Waiting { since: self.now, ..waiting };
            self.link_mut(link).fifo.push(waiting);
            self.queue_changed(link);
        }
        for Held { waiting, link, .. } in late {
            self.drop_packet(waiting.packet, Some(link), Cause::Queue, node);
        }
    }

    /// Takes the next packet from the discipline above a radio's queues, if there is room for it.
    fn next_above(&mut self, node: NodeId, late: &mut Vec<Held>) -> Option<Held> {
        // How long packets have waited is not looked at before one of them may go.
        if self.nodes[node].discipline.as_ref()?.packets() == 0 || !self.interface_has_room(node, 1) {
            return None;
        }
        let head = self.nodes[node].discipline.as_mut()?.head(self.now, late)?;
        if !self.has_room(head.link, head.waiting.bytes) {
            return None;
        }
        self.nodes[node].discipline.as_mut()?.take();
        Some(head)
    }
}
