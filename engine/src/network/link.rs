//! The state of a directed link: queue, packet in service, measurements.

use std::collections::VecDeque;

use crate::index::{LinkId, LocalLink, NodeId};
use crate::measure::{BusyMeter, LinkMeter};
use crate::packet::Packet;
use crate::plan::{LinkKind, LinkPlan, WirePlan};
use crate::random::{Purpose, Stream};
use crate::units::Nanos;
use crate::world::QueueSpec;

use super::queue::Fifo;
use super::PacketId;

/// The state of a directed link.
#[derive(Debug)]
pub(crate) struct Link {
    /// The node that sends.
    pub(crate) from: NodeId,
    /// The node that receives.
    pub(crate) to: NodeId,
    /// Its index among its node's links.
    pub(crate) local: LocalLink,
    /// Limits of its queue.
    pub(crate) limit: QueueSpec,
    /// The average queue that arrivals found, packets, where marking looks at it.
    pub(crate) average_queue: f64,
    /// Its queue.
    pub(crate) fifo: Fifo,
    /// The packets that the MAC or the wire is busy with, in order; on a radio no longer once they have been delivered.
    /// There is one, unless the link aggregates.
    pub(crate) in_service: VecDeque<InService>,
    /// How many packets have been in service.
    pub(crate) served: u64,
    /// Whether the MAC is busy with a probe of it, and no packet.
    pub(crate) is_probed: bool,
    /// What is measured on it.
    pub(crate) meter: LinkMeter,
    /// The wire, if it is one.
    pub(crate) wire: Option<Wire>,
    /// Until when routing takes it for broken.
    pub(crate) broken_until: Nanos,
}

/// A packet in service.
#[derive(Debug)]
pub(crate) struct InService {
    /// The packet.
    pub(crate) packet: PacketId,
    /// Its number on the link.
    pub(crate) number: u64,
    /// Its size.
    pub(crate) bytes: u32,
    /// When it entered the queue.
    pub(crate) enqueued: Nanos,
    /// When it left the queue.
    pub(crate) head_of_line: Nanos,
    /// The copy of it that is on the air, if a router wrote on it.
    pub(crate) on_air: Option<Packet>,
    /// The receiver has it, but not yet all before it.
    pub(crate) arrived: bool,
}

/// The state of a wire.
#[derive(Debug)]
pub(crate) struct Wire {
    /// Its conditions.
    pub(crate) conditions: WirePlan,
    /// Its busy share.
    pub(crate) busy: BusyMeter,
    /// Draws its losses.
    pub(crate) channel: Stream,
}

impl Link {
    /// A link at the start of a run.
    pub(crate) fn new(plan: &LinkPlan, id: LinkId, local: LocalLink, seed: u64) -> Self {
        let (wire, meter) = match &plan.kind {
            LinkKind::Radio(_) => (None, LinkMeter::default()),
            LinkKind::Wire(conditions) => {
                let channel = Stream::new(seed, Purpose::Channel, id.0);
                let wire = Wire { conditions: *conditions, busy: BusyMeter::default(), channel };
                (Some(wire), LinkMeter::configured(conditions.rate_bps))
            }
        };
        Self {
            from: plan.from,
            to: plan.to,
            local,
            limit: plan.queue,
            is_probed: false,
            average_queue: 0.0,
            fifo: if plan.queue.per_flow { Fifo::per_flow() } else { Fifo::default() },
            in_service: VecDeque::new(),
            served: 0,
            meter,
            wire,
            broken_until: 0,
        }
    }

    /// A packet finds the queue as it is: whether it is to be marked, if its transport allows it.
    pub(crate) fn marks(&mut self) -> bool {
        let Some(from) = self.limit.mark_from_packets else { return false };
        let queue = f64::from(self.fifo.packets());
        let queue = match self.limit.mark_average_weight {
            None => queue,
            Some(weight) => {
                self.average_queue += weight * (queue - self.average_queue);
                self.average_queue
            }
        };
        queue >= f64::from(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::FlowId;
    use crate::network::Waiting;
    use crate::plan::Plan;
    use crate::world::{LinkSpec, NodeSpec, World};

    fn link(mark_average_weight: Option<f64>) -> Link {
        let limit = QueueSpec { mark_from_packets: Some(4), mark_average_weight, ..QueueSpec::packets(64) };
        let spec = LinkSpec::wireless("a", "b", 11_000_000).with_queue(limit);
        let plan = Plan::new(&World::new("pair", vec![NodeSpec::new("a"), NodeSpec::new("b")], vec![spec])).unwrap();
        let mut link = Link::new(&plan.links[LinkId(0)], LinkId(0), LocalLink(0), 1);
        (0..10)
            .map(PacketId)
            .for_each(|packet| link.fifo.push(Waiting { packet, flow: FlowId(0), bytes: 552, since: 0 }));
        link
    }

    #[test]
    fn marks_by_the_queue_or_by_its_average() {
        assert!(link(None).marks());
        // V-N2: the average of a queue that steps to 10 passes 4 at the 26th sample.
        let mut averaged = link(Some(0.02));
        let first = (1..=100).find(|_| averaged.marks());
        assert_eq!(first, Some(26));
    }
}
