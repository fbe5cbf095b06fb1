//! What every hop measures (S001 sec. 4.2 and 4.3).

use std::collections::BTreeSet;

use super::source::UNMEASURED;
use super::support::{Format, Support};
use super::Legacy;
use crate::controller::{AirStamps, NodeSetup, NodeView, OnAir, Router, Sight};
use crate::index::{IndexVec, LocalLink, NodeId};
use crate::packet::{C3tcpHeader, Header, Packet, PacketKind};
use crate::units::{nanos, seconds, Nanos};

/// What counts as the time a frame takes once it is on the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmission {
    /// See [`super::C3tcpConfig::counts_difs`].
    pub counts_difs: bool,
    /// See [`super::C3tcpConfig::ack_at_data_rate`].
    pub ack_at_data_rate: bool,
    /// See [`super::C3tcpConfig::sifs_s`].
    pub sifs_s: f64,
    /// See [`super::C3tcpConfig::plcp_s`].
    pub plcp_s: f64,
    /// See [`super::C3tcpConfig::ack_bytes`].
    pub ack_bits: f64,
}

impl Transmission {
    /// T_tr of eq. 3, seconds; `rate_bps` is the PHY rate of data frames. A wire has only its serialization.
    fn seconds(&self, stamps: &AirStamps, rate_bps: u64) -> f64 {
        if stamps.ack_time == 0 {
            return seconds(stamps.data_airtime);
        }
        let ack_s = match self.ack_at_data_rate && rate_bps > 0 {
            true => self.sifs_s + self.plcp_s + self.ack_bits / rate_bps as f64,
            false => seconds(stamps.ack_time),
        };
        seconds(stamps.data_airtime) + ack_s + if self.counts_difs { seconds(stamps.difs) } else { 0.0 }
    }
}

/// The part at a node: writes into the frame what its transmission is seen to take.
#[derive(Clone, Debug)]
pub struct HopRouter {
    transmission: Transmission,
    /// PHY rate of each outgoing link, bit/s.
    rates_bps: IndexVec<LocalLink, u64>,
    /// Whether the node itself writes options.
    takes_part: bool,
    /// Whether the node at the other end of each link understands them.
    understood: IndexVec<LocalLink, bool>,
    /// Whether it knows that before it sends.
    told: bool,
    /// Where routing messages tell it: the neighbours that had the bit in the last one.
    announced: Option<BTreeSet<NodeId>>,
    /// The node at the other end of each wireless link.
    ends: IndexVec<LocalLink, Option<NodeId>>,
    support: Support,
}

impl HopRouter {
    /// Of one node; nodes without support are named by their place in the world.
    #[must_use]
    pub fn new(transmission: Transmission, legacy: &Legacy, node: &NodeSetup) -> Self {
        let understands = |node: NodeId| !legacy.without_support.contains(&node.0);
        Self {
            transmission,
            rates_bps: node.links.iter().map(|link| link.rate_bps).collect(),
            takes_part: understands(node.node),
            understood: node.links.iter().map(|link| link.wired || understands(link.to)).collect(),
            told: legacy.told_by_routing,
            announced: legacy.told_by_messages.then(BTreeSet::new),
            ends: node.links.iter().map(|link| (!link.wired).then_some(link.to)).collect(),
            support: Support::new(node.links.len(), nanos(legacy.try_again_s)),
        }
    }

    /// The format of the frame, and what its receiver makes of it.
    fn sends(&mut self, now: Nanos, link: LocalLink) -> (Format, OnAir) {
        let understood = self.understood.get(link).copied().unwrap_or(true);
        let format = match (self.takes_part, understood, self.told) {
            (false, _, _) | (true, false, true) => Format::Standard,
            _ if !self.is_announced(link) => Format::Standard,
            (true, _, _) => self.support.format(now, link),
        };
        if format == Format::Options && !understood {
            self.support.dropped(now, link);
            return (format, OnAir::Dropped);
        }
        (format, OnAir::Understood)
    }

    /// Whether the neighbour's messages have told of its support, where messages tell.
    fn is_announced(&self, link: LocalLink) -> bool {
        let (Some(announced), Some(Some(end))) = (&self.announced, self.ends.get(link)) else { return true };
        announced.contains(end)
    }
}

impl Router for HopRouter {
    fn announces_support(&self) -> bool {
        self.takes_part
    }

    fn on_routing_message(&mut self, from: NodeId, has_support: bool) {
        let Some(announced) = &mut self.announced else { return };
        if has_support {
            announced.insert(from);
        } else {
            announced.remove(&from);
        }
    }

    fn look(&self, _now: Nanos, _link: Option<LocalLink>, _see: &mut dyn FnMut(LocalLink)) -> Sight {
        Sight::Named
    }

    fn on_air(&mut self, _view: &NodeView, link: LocalLink, stamps: AirStamps, packet: &mut Packet) -> OnAir {
        let Header::C3tcp(header) = &mut packet.header else { return OnAir::Understood };
        let (format, received) = self.sends(stamps.data_start, link);
        if format == Format::Standard {
            // Options stay behind where the next node, or this one, has no place for them.
            *header = UNMEASURED;
            return received;
        }
        let rate_bps = self.rates_bps.get(link).copied().unwrap_or(0);
        let transmission_s = self.transmission.seconds(&stamps, rate_bps);
        let access_s = span(stamps.enqueued, stamps.data_start);
        let head_of_line_s = span(stamps.head_of_line, stamps.data_start);
        *header = match packet.kind {
            PacketKind::Data | PacketKind::Probe => C3tcpHeader {
                bandwidth_bps: header
                    .bandwidth_bps
                    .min(8.0 * f64::from(packet.size_bytes) / (access_s + transmission_s)),
                forward_delay_s: header.forward_delay_s + head_of_line_s + transmission_s,
                measured: true,
                ..*header
            },
            PacketKind::Ack | PacketKind::Answer => {
                C3tcpHeader { backward_delay_s: header.backward_delay_s + access_s + transmission_s, ..*header }
            }
        };
        received
    }
}

fn span(from: Nanos, to: Nanos) -> f64 {
    seconds(to.saturating_sub(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::test_flow::{node, packet, wireless};
    use crate::units::MICROSECOND;

    /// Airtimes of 802.11b at 11 Mbit/s, S001 Table 1.
    fn stamps(size_bytes: u32, times_us: (u64, u64, u64)) -> AirStamps {
        AirStamps {
            enqueued: times_us.0 * MICROSECOND,
            head_of_line: times_us.1 * MICROSECOND,
            data_start: times_us.2 * MICROSECOND,
            data_airtime: 192 * MICROSECOND + u64::from(8 * (size_bytes + 28)) * 1_000 / 11,
            ack_time: 314 * MICROSECOND,
            difs: 50 * MICROSECOND,
        }
    }

    fn transmission(counts_difs: bool, ack_at_data_rate: bool) -> Transmission {
        Transmission { counts_difs, ack_at_data_rate, sifs_s: 10e-6, plcp_s: 192e-6, ack_bits: 112.0 }
    }

    fn router(transmission: Transmission) -> HopRouter {
        HopRouter::new(transmission, &Legacy::default(), &node([wireless(0, 1)]))
    }

    fn over(router: &mut HopRouter, mut packet: Packet, hops: &[(u64, u64, u64)]) -> Vec<C3tcpHeader> {
        let view = NodeView { links: &IndexVec::default() };
        let mut headers = vec![];
        for &times_us in hops {
            router.on_air(&view, LocalLink(0), stamps(packet.size_bytes, times_us), &mut packet);
            let Header::C3tcp(header) = packet.header else { unreachable!("the header stays what it is") };
            headers.push(header);
        }
        headers
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn v_c3_1_transmission_time() {
        let stamps = stamps(1040, (0, 0, 0));
        assert_close(transmission(true, true).seconds(&stamps, 11_000_000), 1230.909e-6);
        assert_close(transmission(true, false).seconds(&stamps, 11_000_000), 1332.727e-6);
        assert_close(transmission(false, false).seconds(&stamps, 11_000_000), 1282.727e-6);
    }

    #[test]
    fn v_c3_2_least_bandwidth_and_sum_of_delays() {
        let data = packet(PacketKind::Data, 1040, Header::C3tcp(super::super::source::UNMEASURED));
        let hops = [(0, 0, 1_026), (10_000, 12_000, 13_500), (20_000, 20_000, 21_050)];
        let mut router = router(transmission(true, false));
        let headers = over(&mut router, data, &hops);
        assert_close(headers[0].bandwidth_bps, 3_527_326.0);
        assert_close(headers[2].bandwidth_bps, 1_721_595.2);
        assert_close(headers[2].forward_delay_s, 7_574.182e-6);
        assert!(headers[2].measured);
        assert_close(over(&mut router, data, &hops[2..])[0].bandwidth_bps, 3_491_797.0);
    }

    /// S001 sec. 4.3: the first frame to a node without support is dropped, the next ones have no options.
    #[test]
    fn a_node_without_support_gets_standard_frames_after_the_first() {
        let legacy = |told_by_routing| Legacy { without_support: vec![1], told_by_routing, ..Legacy::default() };
        let send = |router: &mut HopRouter, at_us: u64| {
            let mut data = packet(PacketKind::Data, 1040, Header::C3tcp(C3tcpHeader { measured: true, ..UNMEASURED }));
            let view = NodeView { links: &IndexVec::default() };
            let received = router.on_air(&view, LocalLink(0), stamps(1040, (at_us, at_us, at_us)), &mut data);
            (received, data.header == Header::C3tcp(UNMEASURED))
        };
        let mut unaware = HopRouter::new(transmission(true, false), &legacy(false), &node([wireless(0, 1)]));
        assert_eq!(send(&mut unaware, 1_000), (OnAir::Dropped, false));
        assert_eq!(send(&mut unaware, 5_000), (OnAir::Understood, true));
        assert_eq!(send(&mut unaware, 20_000_000), (OnAir::Dropped, false), "tried again");
        let mut told = HopRouter::new(transmission(true, false), &legacy(true), &node([wireless(0, 1)]));
        assert_eq!(send(&mut told, 1_000), (OnAir::Understood, true), "routing told before");
        let itself = Legacy { without_support: vec![0], ..Legacy::default() };
        let mut without = HopRouter::new(transmission(true, false), &itself, &node([wireless(0, 1)]));
        assert_eq!(send(&mut without, 1_000), (OnAir::Understood, true), "the node itself has no support");
    }

    #[test]
    fn v_c3_3_acknowledgements_add_their_queueing() {
        let header = Header::C3tcp(C3tcpHeader { backward_delay_s: 0.0, ..super::super::source::UNMEASURED });
        let ack = packet(PacketKind::Ack, 40, header);
        let hops = [(0, 0, 900), (0, 500, 1_600), (0, 0, 1_000)];
        let headers = over(&mut router(transmission(true, false)), ack, &hops);
        assert_close(headers[2].backward_delay_s, 5_316.364e-6);
    }
}
