//! Packet conservation.

use crate::record::Conservation;

use super::Simulation;

impl Simulation {
    /// Counts every packet where it is; in a debug build it is an error if one is missing.
    pub(super) fn conservation(&self) -> Conservation {
        let queued: u64 = self.links.iter().map(|link| u64::from(link.fifo.packets())).sum();
        let queued = queued + self.routing.as_ref().map_or(0, |routing| routing.held_packets());
        let above = self.nodes.iter().filter_map(|node| node.discipline.as_ref());
        let queued = queued + above.map(|discipline| u64::from(discipline.packets())).sum::<u64>();
        let serving: usize = self.links.iter().map(|link| link.in_service.len()).sum();
        let in_flight = (serving + self.arriving) as u64;
        let counted = Conservation { queued, in_flight, ..self.record.counts };
        debug_assert!(counted.holds(), "packets are not conserved: {counted:?}");
        debug_assert_eq!(queued + in_flight, self.packets.len() as u64, "the pool has packets that are nowhere");
        counted
    }
}
