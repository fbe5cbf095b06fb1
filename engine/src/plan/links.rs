//! Directed links.

use std::collections::HashMap;

use crate::index::{IndexVec, LinkId, NodeId};
use crate::units::{seconds_over, Nanos};
use crate::world::{
    AirtimePoint, ControlAirtimes, LinkMedium, LinkSpec, Location, MacParameters, QueueSpec, WirelessSpec, World,
    WorldError,
};

use super::names::Names;

/// A directed link.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// The node that sends.
    pub from: NodeId,
    /// The node that receives.
    pub to: NodeId,
    /// Wire or radio.
    pub kind: LinkKind,
    /// Its queue.
    pub queue: QueueSpec,
}

/// Wire or radio.
#[derive(Clone, Debug)]
pub enum LinkKind {
    /// 802.11.
    Radio(RadioPlan),
    /// A wire.
    Wire(WirePlan),
}

/// Conditions of a wireless link.
#[derive(Clone, Debug)]
pub struct RadioPlan {
    /// PHY rate of data frames, bit/s.
    pub rate_bps: u64,
    /// Airtimes of its control frames.
    pub control: ControlAirtimes,
    /// Rate of its ACKs, bit/s.
    pub ack_rate_bps: u64,
    /// Probability that the channel loses a data frame.
    pub loss: f64,
    /// Probability that the channel loses a control frame.
    pub control_loss: f64,
    /// Measured airtimes, or none.
    pub airtimes: Vec<AirtimePoint>,
    /// Longest A-MPDU, bytes; 0: none are sent.
    pub max_ampdu_bytes: u32,
    /// What a PPDU with data takes besides its octets: preamble, PHY header, signal extension.
    pub overhead: Nanos,
}

/// Conditions of a wire.
#[derive(Clone, Copy, Debug)]
pub struct WirePlan {
    /// Rate, bit/s.
    pub rate_bps: u64,
    /// Propagation delay.
    pub delay: Nanos,
    /// Probability that a packet is lost.
    pub loss: f64,
}

impl RadioPlan {
    fn new(spec: &WirelessSpec, mac: &MacParameters) -> Self {
        let control_rate_bps = spec.control_rate_bps.unwrap_or(mac.control_rate_bps);
        let ack_rate_bps = spec.ack_rate_bps.unwrap_or(control_rate_bps);
        let answers = mac.control_airtimes(ack_rate_bps);
        let max_ampdu_bytes = mac.aggregation.map_or(0, |all| spec.max_ampdu_bytes.unwrap_or(all.max_ampdu_bytes));
        let preamble = mac.aggregation.filter(|_| max_ampdu_bytes > 0).map_or(mac.plcp_ns, |all| all.preamble_ns);
        Self {
            rate_bps: spec.rate_bps,
            control: ControlAirtimes {
                ack: answers.ack,
                block_ack: answers.block_ack,
                ..mac.control_airtimes(control_rate_bps)
            },
            ack_rate_bps,
            loss: spec.loss,
            control_loss: spec.control_loss,
            airtimes: spec.airtimes.clone(),
            max_ampdu_bytes,
            overhead: preamble + mac.signal_extension_ns,
        }
    }

    /// Frames to all at a rate: nobody answers, and none are aggregated.
    pub(super) fn broadcast(rate_bps: u64, mac: &MacParameters) -> Self {
        Self::new(&WirelessSpec { rate_bps, max_ampdu_bytes: Some(0), ..WirelessSpec::default() }, mac)
    }

    /// Airtime of the data frame of a packet.
    #[must_use]
    pub fn data_airtime(&self, mac: &MacParameters, packet_bytes: u32) -> Nanos {
        match self.airtimes.as_slice() {
            [] => self.airtime_of_octets(mac, u64::from(packet_bytes.saturating_add(mac.mac_header_bytes))),
            [only] => only.airtime_ns,
            points => {
                let after = points.partition_point(|point| point.packet_bytes < packet_bytes);
                let upper = after.clamp(1, points.len() - 1);
                interpolate(points[upper - 1], points[upper], packet_bytes).max(mac.plcp_ns.max(1))
            }
        }
    }

    /// Airtime of a PPDU with so many octets at the link's rate.
    #[must_use]
    pub fn airtime_of_octets(&self, mac: &MacParameters, octets: u64) -> Nanos {
        let bits = octets * 8 + u64::from(mac.extra_bits);
        let symbols = seconds_over(bits, u128::from(self.rate_bps) * u128::from(mac.symbol_ns));
        self.overhead + symbols * mac.symbol_ns
    }
}

/// The airtime at a size on the line through two points.
fn interpolate(low: AirtimePoint, high: AirtimePoint, packet_bytes: u32) -> Nanos {
    let run = i128::from(high.packet_bytes) - i128::from(low.packet_bytes);
    let rise = i128::from(high.airtime_ns) - i128::from(low.airtime_ns);
    let airtime =
        i128::from(low.airtime_ns) + rise * (i128::from(packet_bytes) - i128::from(low.packet_bytes)) / run.max(1);
    Nanos::try_from(airtime).unwrap_or(0)
}

/// Directed links, and where to find them.
pub(super) struct Links {
    /// In the order of their index.
    pub(super) list: IndexVec<LinkId, LinkPlan>,
    index: HashMap<(NodeId, NodeId), LinkId>,
}

impl Links {
    /// The declared links, duplex ones as two.
    pub(super) fn new(world: &World, names: &Names) -> Result<Self, WorldError> {
        let mut links = Self { list: IndexVec::default(), index: HashMap::new() };
        for (index, spec) in world.links.iter().enumerate() {
            let from = names.node(&spec.from, || location(index, spec).key("from"))?;
            let to = names.node(&spec.to, || location(index, spec).key("to"))?;
            let ways = [(from, to), (to, from)];
            for &(from, to) in ways.iter().take(if spec.duplex { 2 } else { 1 }) {
                let id = LinkId(links.list.len() as u32);
                if from == to || links.index.insert((from, to), id).is_some() {
                    let name = format!("{} -> {}", spec.from, spec.to);
                    let (what, location) = ("links, or the ends of a link,", location(index, spec));
                    return Err(WorldError::Duplicate { what, name, location });
                }
                links.list.push(LinkPlan { from, to, kind: kind(spec, &world.mac), queue: spec.queue });
            }
        }
        Ok(links)
    }

    /// The link from one node to another.
    pub(super) fn find(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        self.index.get(&(from, to)).copied()
    }
}

/// Where a link is declared.
pub(super) fn location(index: usize, spec: &LinkSpec) -> Location {
    Location::new(format!("the link from {:?} to {:?}", spec.from, spec.to), "links").index(index)
}

fn kind(spec: &LinkSpec, mac: &MacParameters) -> LinkKind {
    match &spec.medium {
        LinkMedium::Wireless(wireless) => LinkKind::Radio(RadioPlan::new(wireless, mac)),
        LinkMedium::Wired(wire) => {
            LinkKind::Wire(WirePlan { rate_bps: wire.rate_bps, delay: wire.delay_ns, loss: wire.loss })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_airtimes_are_interpolated_and_extrapolated() {
        let mac = MacParameters::dot11b();
        let airtimes = [(100, 1_000_000), (500, 1_400_000), (1500, 3_400_000)]
            .map(|(packet_bytes, airtime_ns)| AirtimePoint { packet_bytes, airtime_ns });
        let spec = WirelessSpec { airtimes: airtimes.to_vec(), ..WirelessSpec::default() };
        let radio = RadioPlan::new(&spec, &mac);
        for (bytes, airtime) in
            [(100, 1_000_000), (300, 1_200_000), (1000, 2_400_000), (2000, 4_400_000), (50, 950_000)]
        {
            assert_eq!(radio.data_airtime(&mac, bytes), airtime, "{bytes}");
        }
    }
}
