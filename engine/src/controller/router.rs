//! The part of a controller at a node.

use crate::cross_layer::CrossLayer;
use crate::index::{IndexVec, LocalLink, NodeId};
use crate::packet::Packet;
use crate::units::Nanos;

use super::NeighbourReport;

/// A node's part, for all its outgoing links. Every hook may be left out.
pub trait Router: Send {
    /// Which links of the view the next hook looks at, `see` being called for each of them: that of a packet on `link`,
    /// or of the timer that fires `now`. Only what is seen is brought up to date before; the rest of the view is older.
    fn look(&self, _now: Nanos, _link: Option<LocalLink>, _see: &mut dyn FnMut(LocalLink)) -> Sight {
        Sight::All
    }
    /// A packet arrives at the queue of `view.links[link]`; called even if it is then dropped. The view is of the
    /// queue before it.
    fn on_arrival(&mut self, _now: Nanos, _view: &NodeView, _link: LocalLink, _packet: &mut Packet) {}
    /// A packet is about to be handed to the MAC; the queue still holds it.
    fn on_departure(&mut self, _now: Nanos, _view: &NodeView, _link: LocalLink, _packet: &mut Packet) {}
    /// An attempt to send it starts; every attempt starts from the packet as it departed.
    fn on_air(&mut self, _view: &NodeView, _link: LocalLink, _stamps: AirStamps, _packet: &mut Packet) -> OnAir {
        OnAir::Understood
    }
    /// When to call [`Router::on_timer`] next; queried after every event.
    fn next_timer(&self) -> Option<Nanos> {
        None
    }
    /// The timer fires.
    fn on_timer(&mut self, _now: Nanos, _view: &NodeView) {}
    /// The share of the medium that an outgoing link may use at most, where the controller limits it. Nothing
    /// in a run reads it.
    fn utilization(&self, _link: LocalLink) -> Option<f64> {
        None
    }
    /// Whether the controller takes an outgoing link for congested; `None`: it holds no link to be. Nothing in a run reads
    /// it.
    fn is_congested(&self, _now: Nanos, _link: LocalLink) -> Option<bool> {
        None
    }
    /// Octets in the MAC header of the next packet on a wireless link by which the controller tells the nodes around what
    /// it has to tell now; asked when the packet comes to the queue.
    fn control_octets(&mut self, _link: LocalLink) -> u32 {
        0
    }
    /// The nodes whose reports it reads from a central store, which knows them at once and at no cost, before every
    /// departure and timer; none: it knows what it overhears.
    fn reads_reports_of(&self) -> &[NodeId] {
        &[]
    }
    /// Whether messages of the routing protocol tell that the node understands the controller's frames.
    fn announces_support(&self) -> bool {
        false
    }
    /// A neighbour's message of the routing protocol came, which tells whether that one does.
    fn on_routing_message(&mut self, _from: NodeId, _has_support: bool) {}
    /// The report on a data frame that this node sends on a link, for all that decode it; `None`: no report.
    fn neighbour_report(&self, _link: LocalLink) -> Option<NeighbourReport> {
        None
    }
    /// A data frame of a neighbour was decoded, whatever its receiver.
    fn on_overheard(&mut self, _now: Nanos, _from: NodeId, _bulletin: &NeighbourReport) {}
}

/// What the receiver makes of a data frame that gets to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAir {
    /// It takes and acknowledges it.
    Understood,
    /// It does not know its format, and drops it without an ACK.
    Dropped,
}

/// Whether a router looks at links other than those it named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// At those that it named.
    Named,
    /// At all links of the node.
    All,
}

/// A node as its router may see it.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// Its outgoing links.
    pub links: &'a IndexVec<LocalLink, LinkView>,
}

/// An outgoing link as its router may see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkView {
    /// Bytes in the queue, without the packet in service.
    pub queue_bytes: u64,
    /// Packets in the queue, likewise.
    pub queue_packets: u32,
    /// Wire: its rate as configured. 802.11: as rt-Winf measured it.
    pub cross_layer: CrossLayer,
}

/// The three instants S001 measures with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirStamps {
    /// The packet entered the queue.
    pub enqueued: Nanos,
    /// It became head of line.
    pub head_of_line: Nanos,
    /// Its data frame starts on the air, after backoff and RTS/CTS.
    pub data_start: Nanos,
    /// Airtime of the data frame.
    pub data_airtime: Nanos,
    /// From the end of the data frame to the end of its acknowledgement: SIFS + T_ACK; 0 on a wire.
    pub ack_time: Nanos,
    /// DIFS; 0 on a wire.
    pub difs: Nanos,
}
