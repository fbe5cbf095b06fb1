//! Maps MAC addresses to nodes.
//!
//! ns-2 numbers wireless interfaces in the order of creation. In an all-wireless simulation these numbers equal those
//! of the nodes; with wired nodes they differ. A line contains the node and, if the node is the transmitter or the
//! receiver, its MAC address.

use std::collections::HashMap;

use crate::frame::{Addr, Direction, Frame, Layer};

/// Memory bound, independent of the trace; ns-2 itself supports at most 16384 nodes.
const MAX_STATIONS: usize = 1 << 16;

/// The node of each MAC address seen so far.
#[derive(Default)]
pub(super) struct Stations {
    nodes: HashMap<Addr, Addr>,
    differ: bool,
}

impl Stations {
    /// Adds rows from `line::parse`.
    pub(super) fn observe(&mut self, frames: &[Frame]) {
        for frame in frames.iter().filter(|frame| frame.layer == Layer::Mac) {
            if let Some((address, node)) = own(frame) {
                if self.nodes.len() < MAX_STATIONS || self.nodes.contains_key(&address) {
                    self.nodes.insert(address, node);
                }
                self.differ |= address != node;
            }
        }
    }

    /// True while every MAC address equals the number of its node.
    pub(super) fn are_node_numbers(&self) -> bool {
        !self.differ
    }

    /// Replaces MAC addresses by nodes; `None` for stations whose node has not been seen yet.
    ///
    /// Rows of other layers contain no MAC addresses; those of wired links contain nodes already.
    pub(super) fn resolve(&self, frame: &mut Frame) {
        if self.differ && frame.layer == Layer::Mac {
            for address in [&mut frame.ra, &mut frame.ta] {
                *address =
                    address.and_then(|mac| if mac.is_group() { Some(mac) } else { self.nodes.get(&mac).copied() });
            }
        }
    }
}

/// True if this row of the MAC contradicts that MAC addresses are the numbers of nodes.
#[inline]
pub(super) fn differs(frame: &Frame) -> bool {
    frame.layer == Layer::Mac && own(frame).is_some_and(|(address, node)| address != node)
}

/// The MAC address of the node at which a row was written, and the node.
#[inline]
fn own(frame: &Frame) -> Option<(Addr, Addr)> {
    let address = match frame.direction {
        Some(Direction::Tx) => frame.ta,
        Some(Direction::Rx) => frame.ra.filter(|ra| !ra.is_group()),
        _ => None,
    };
    Some((address?, frame.observer?))
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;

    #[test]
    fn addresses_become_the_nodes_that_own_them() {
        let lines = [
            "s 4.001518174 _2_ MAC  --- 0 RTS 44 [52e 1 0 0] ",
            "r 4.001870348 _3_ MAC  --- 0 RTS 44 [52e 1 0 0] ",
            "s 4.003586696 _3_ MAC  --- 0 RTS 44 [62e 7 1 0] ",
            "s 4.003586696 _3_ MAC  --- 0 ARP 86 [0 ffffffff 1 806] ------- [REQUEST 1/3 0/2]",
            "- 4.004 0 1 tcp 40 ------- 0 0.0.0.0 1.0.1.0 0 2",
        ];
        let mut frames: Vec<Frame> = lines.iter().map(|text| line::parse(text.as_bytes(), 1)).collect();
        let mut stations = Stations::default();
        stations.observe(&frames);
        assert!(!stations.are_node_numbers());
        frames.iter_mut().for_each(|frame| stations.resolve(frame));
        let ends: Vec<_> = frames.iter().map(|frame| (frame.ta, frame.ra)).collect();
        let (two, three) = (Some(Addr::node(2)), Some(Addr::node(3)));
        let wire = (Some(Addr::node(0)), Some(Addr::node(1)));
        assert_eq!(ends, [(two, three), (two, three), (three, None), (three, Some(Addr::BROADCAST)), wire]);
    }
}
