//! The 802.11 medium: stations that contend for it by the distributed coordination function.
//!
//! IEEE 802.11 sec. 10.3. Frames take time on the air and none to get there. A frame is received if its receiver could
//! decode it, was not sending, and no other frame that disturbs it overlapped, unless it was strong enough (capture).
//! Stations that decode a frame for another set their NAV; stations that sense one defer.
//!
//! Stations whose backoffs run out at the same instant all send: they could not have sensed one another.

mod access;
mod ampdu;
mod backoff;
mod block_ack;
mod carrier;
mod exchange;
mod frame;
mod job;
mod mac_indication;
mod reception;
mod station;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::controller::NeighbourReport;
use crate::cross_layer::Printed;
use crate::event::{Event, EventQueue, Rank};
use crate::index::{IndexVec, LinkId, NodeId, TransmissionId};
use crate::measure::RtWinf;
use crate::plan::{linear, Audibility, LinkKind, LinkPlan, Plan, RadioPlan, RoutingPlan};
use crate::random::{Purpose, Stream};
use crate::units::Nanos;
use crate::world::{Eifs, MacParameters};

pub(crate) use job::Job;
pub(crate) use mac_indication::{MacIndication, Served};

use carrier::{CaptureTest, Signal};

use frame::{Air, Frame, FrameKind, Transmission};
use station::Station;

/// The medium.
#[derive(Debug)]
pub(crate) struct Medium {
    mac: MacParameters,
    eifs: Nanos,
    /// What is received at the control rate must be stronger by this, where that is less than for other data frames.
    control_capture: Option<f64>,
    /// An ACK that takes less was not sent at the control rate.
    slow_ack: Nanos,
    stations: IndexVec<NodeId, Station>,
    /// Those that are declared, and behind them the broadcasts of each node.
    links: IndexVec<LinkId, Option<Radio>>,
    audibility: Arc<Audibility>,
    air: Air,
    /// Whether indications of the start of data frames are wanted.
    announce_frames: bool,
    /// Whether nodes that only sense a frame get the report that it carries, sent at a lower rate.
    reports_reach_sensing: bool,
    /// Indications for the network, in order.
    indications: VecDeque<MacIndication>,
}

/// A wireless link as the medium knows it.
#[derive(Clone, Debug)]
struct Radio {
    to: NodeId,
    conditions: RadioPlan,
    channel: Stream,
}

impl Medium {
    /// The medium of a world. `announce_frames`: some node may have a report to put on its frames.
    pub(crate) fn new(plan: &Plan, seed: u64, announce_frames: bool) -> Self {
        let station = |(id, node): (NodeId, &crate::plan::NodePlan)| {
            let random = Stream::new(seed, Purpose::Backoff, id.0);
            Station::new(random, plan.mac.cw_min, node.background_corrupts)
        };
        let radio = |(id, link): (LinkId, &LinkPlan)| match &link.kind {
            LinkKind::Wire(_) => None,
            LinkKind::Radio(conditions) => Some(Radio {
                to: link.to,
                conditions: conditions.clone(),
                channel: Stream::new(seed, Purpose::Channel, id.0),
            }),
        };
        let broadcast = |(id, routing): (NodeId, &RoutingPlan)| {
            let channel = Stream::new(seed, Purpose::Channel, plan.broadcasts_of(id).0);
            Some(Radio { to: id, conditions: routing.radio.clone(), channel })
        };
        let broadcasts = plan.nodes.ids().zip(plan.routing.iter().cycle()).map(broadcast);
        Self {
            eifs: plan.mac.eifs_ns(),
            control_capture: plan.mac.control_capture_db.map(linear),
            slow_ack: plan.mac.control_airtimes(plan.mac.control_rate_bps).ack,
            mac: plan.mac.clone(),
            stations: plan.nodes.enumerate().map(station).collect(),
            links: plan.links.enumerate().map(radio).chain(broadcasts).collect(),
            audibility: Arc::clone(&plan.audibility),
            air: Air::default(),
            announce_frames,
            reports_reach_sensing: false,
            indications: VecDeque::new(),
        }
    }

    /// Draws whether the channel of a link loses a broadcast of the node that it comes from.
    pub(crate) fn loses_broadcast(&mut self, link: LinkId) -> bool {
        let Some(Some(radio)) = self.links.get_mut(link) else { return true };
        radio.channel.chance(radio.conditions.loss)
    }

    /// Hearing changes; frames under way stay with those that heard them begin.
    pub(crate) fn set_audibility(&mut self, audibility: Arc<Audibility>) {
        let before = std::mem::replace(&mut self.audibility, audibility);
        for transmission in self.air.iter_mut() {
            transmission.audibility.get_or_insert_with(|| Arc::clone(&before));
        }
    }

    /// A link's conditions change, from its next frame on.
    pub(crate) fn conditions_mut(&mut self, link: LinkId) -> Option<&mut RadioPlan> {
        self.links.get_mut(link)?.as_mut().map(|radio| &mut radio.conditions)
    }

    /// Has every station measure with rt-Winf as printed.
    pub(crate) fn measure_as_printed(&mut self) {
        let sifs = self.mac.sifs_ns;
        self.stations.iter_mut().for_each(|station| station.rt_winf = Some(Box::new(RtWinf::new(sifs))));
    }

    /// What rt-Winf as printed says to a node about its link, where it runs.
    pub(crate) fn printed(&self, node: NodeId, link: LinkId) -> Option<Printed> {
        self.stations[node].rt_winf.as_ref().map(|rt_winf| rt_winf.on(link))
    }

    /// The ACK of a hop carries the receiver's own values (S000 sec. 3.1).
    fn cooperate(&mut self, sender: NodeId, link: LinkId, receiver: NodeId) {
        let Some(told) = self.stations[receiver].rt_winf.as_ref().map(|rt_winf| rt_winf.own()) else { return };
        if let Some(rt_winf) = &mut self.station(sender).rt_winf {
            rt_winf.is_told(link, told);
        }
    }

    /// The next indication for the network.
    pub(crate) fn next_indication(&mut self) -> Option<MacIndication> {
        self.indications.pop_front()
    }

    /// Has nodes that only sense a frame get the report that it carries.
    pub(crate) fn let_reports_reach_sensing(&mut self) {
        self.reports_reach_sensing = true;
    }

    /// Puts a report on a frame that has just begun.
    pub(crate) fn attach(&mut self, transmission: TransmissionId, report: Arc<NeighbourReport>) {
        if let Some(transmission) = self.air.get_mut(transmission) {
            transmission.report = Some(report);
        }
    }

    /// Share of the last second for which a node found the medium busy.
    pub(crate) fn busy_share(&mut self, now: Nanos, node: NodeId) -> f64 {
        self.station(node).busy.share(now)
    }

    /// Whether a node's MAC can take a packet.
    pub(crate) fn is_free(&self, node: NodeId) -> bool {
        self.stations[node].service.is_none()
    }

    /// Whether two nodes decode each other now.
    pub(crate) fn reaches(&self, from: NodeId, to: NodeId) -> bool {
        self.audibility.decodes(from, to) && self.audibility.decodes(to, from)
    }

    fn station(&mut self, node: NodeId) -> &mut Station {
        &mut self.stations[node]
    }

    /// A node transmits a frame, without carrier sense.
    fn send(&mut self, now: Nanos, events: &mut EventQueue, frame: Frame, airtime: Nanos) {
        let transmission = self.air.insert(Transmission { frame, audibility: None, report: None });
        let robust = match frame.kind {
            FrameKind::Rts | FrameKind::Cts | FrameKind::BlockAckRequest => true,
            FrameKind::Data => self.is_at_control_rate(frame.link),
            FrameKind::Ampdu | FrameKind::Broadcast => false,
            FrameKind::Ack | FrameKind::BlockAck => airtime >= self.slow_ack,
        };
        let (header_until, until) = (now + self.mac.plcp_ns, now + airtime);
        self.station(frame.from).carrier.starts_sending();
        self.update_carrier_sense(now, events, frame.from, frame.opens);
        let mut listener = 0;
        while let Some(&heard) = self.audibility.of(frame.from).get(listener) {
            listener += 1;
            let may_begin = self.mac.late_capture || !self.station(heard.by).carrier.senses_a_frame();
            let decodes = heard.decodes && may_begin;
            let (senses, power) = (heard.senses, heard.power);
            let signal = Signal { transmission, decodes, senses, power, header_until, until, robust };
            let (control_capture, audibility) = (self.control_capture, &self.audibility);
            let survived = self.mac.survived_overlap_ns;
            let survives = |what: CaptureTest| match (what, control_capture) {
                (CaptureTest::UnderWay { power, other, left, .. }, _) if left <= survived && power >= other => true,
                (CaptureTest::UnderWay { robust: true, power, other, .. }, Some(ratio)) => power >= ratio * other,
                (CaptureTest::UnderWay { power, other, .. } | CaptureTest::Begins { power, other }, _) => {
                    audibility.survives(power, other)
                }
            };
            self.stations[heard.by].carrier.frame_starts(now, signal, survives);
            self.update_carrier_sense(now, events, heard.by, false);
        }
        events.push(until, Rank::Departure, frame.from.0, Event::FrameEnd(transmission));
        // Control frames carry no reports.
        if self.announce_frames && matches!(frame.kind, FrameKind::Data | FrameKind::Ampdu) {
            self.indications.push_back(MacIndication::FrameStarts(frame.link, transmission));
        }
    }

    /// Whether the data of a link are sent as control frames are.
    fn is_at_control_rate(&self, link: LinkId) -> bool {
        let radio = self.links.get(link).and_then(Option::as_ref);
        radio.is_some_and(|radio| radio.conditions.rate_bps <= self.mac.control_rate_bps)
    }

    /// Background transmissions begin or end at a node.
    pub(crate) fn set_background(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, busy: bool) {
        self.station(node).carrier.set_background(now, busy);
        self.update_carrier_sense(now, events, node, false);
    }

    /// A NAV may have run out.
    pub(crate) fn nav_ends(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        self.update_carrier_sense(now, events, node, false);
    }

    /// Resets a NAV set at `set_at` by an RTS, if no frame followed (10.3.2.4).
    pub(crate) fn nav_resets(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, set_at: Nanos) {
        let carrier = &mut self.station(node).carrier;
        if carrier.last_start <= set_at && carrier.nav > now && carrier.nav_set_at == set_at {
            carrier.nav = now;
            self.update_carrier_sense(now, events, node, false);
        }
    }

    /// A station could not decode a frame: EIFS applies.
    fn start_eifs(&mut self, now: Nanos, node: NodeId, corrupted: bool) {
        let counts = match self.mac.eifs {
            Eifs::Off => false,
            Eifs::Corrupted => corrupted,
            Eifs::Sensed => true,
        };
        if counts {
            let until = now + self.eifs;
            self.station(node).eifs_until = until;
        }
    }
}
