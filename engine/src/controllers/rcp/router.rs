//! An RCP node: one rate per outgoing interface, offered to every flow.

use super::super::agenda::Agenda;
use super::super::interfaces::Interfaces;
use super::rate::{average_rtt, clip, Slot};
use super::{initial_rate, RcpConfig};
use crate::controller::{LinkSetup, LinkView, NodeView, Router, Sight};
use crate::index::{IndexVec, LocalLink};
use crate::packet::{Header, Packet, RcpHeader};
use crate::units::{nanos, Nanos, MILLISECOND};

/// How a router finds the capacity of a link and the factor on its rate.
pub trait RateLaw: Send {
    /// Bytes/s; `used`: something came in since the last update. `None`: the link is down.
    fn capacity_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64>;
    /// Factor on the rate after `slot`.
    fn ratio(&self, slot: &Slot, link: &LinkView) -> f64;
}

/// A node whose interfaces follow `L`.
#[derive(Debug)]
pub struct RcpRouter<L> {
    config: RcpConfig,
    interfaces: Interfaces,
    governors: Vec<Governor<L>>,
    /// When the rate of each interface is computed.
    updates: Agenda,
}

impl<L: RateLaw> RcpRouter<L> {
    /// A law for each interface of a node with these links.
    pub fn new(config: RcpConfig, links: &IndexVec<LocalLink, LinkSetup>, law: impl Fn(&LinkSetup) -> L) -> Self {
        let interfaces = Interfaces::new(links);
        let governor = |setup: &LinkSetup| Governor::new(&config, initial_rate(&config, setup), law(setup));
        let governors: Vec<_> = interfaces.setups(links).iter().map(governor).collect();
        let updates = Agenda::new(governors.iter().map(|governor| timer(0, governor.length_s)));
        Self { config, interfaces, governors, updates }
    }
}

impl<L: RateLaw> Router for RcpRouter<L> {
    fn look(&self, now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        if link.is_none() {
            self.updates.due(now).into_iter().for_each(|index| self.interfaces.look(index, see));
        }
        Sight::Named
    }

    fn on_arrival(&mut self, _now: Nanos, _view: &NodeView, link: LocalLink, packet: &mut Packet) {
        let bytes = f64::from(packet.size_bytes);
        self.interfaces.count(link, bytes);
        let Some(governor) = self.interfaces.of(link).and_then(|index| self.governors.get_mut(index)) else { return };
        governor.input_bytes += bytes;
        if let Some(header) = congestion_header(packet).filter(|header| header.rtt_s > 0.0) {
            governor.sum_rtt_s += header.rtt_s;
            governor.packets_with_rtt += 1;
        }
    }

    fn on_departure(&mut self, _now: Nanos, _view: &NodeView, link: LocalLink, packet: &mut Packet) {
        let Some(governor) = self.interfaces.of(link).and_then(|index| self.governors.get(index)) else { return };
        let Some(header) = congestion_header(packet) else { return };
        let asked = header.bottleneck_bytes_per_s;
        if asked < 0.0 || asked > governor.rate_bytes_per_s {
            header.bottleneck_bytes_per_s = governor.rate_bytes_per_s;
        }
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.updates.next()
    }

    fn on_timer(&mut self, now: Nanos, view: &NodeView) {
        for index in self.updates.due(now) {
            let at = self.governors[index].update(&self.config, now, &self.interfaces.view(index, view));
            self.updates.set(index, at);
            self.interfaces.age(index);
        }
    }
}

/// The rate of one interface, and what the current slot counted.
#[derive(Debug)]
struct Governor<L> {
    law: L,
    rate_bytes_per_s: f64,
    average_rtt_s: f64,
    length_s: f64,
    input_bytes: f64,
    sum_rtt_s: f64,
    packets_with_rtt: u32,
}

impl<L: RateLaw> Governor<L> {
    fn new(config: &RcpConfig, rate_bytes_per_s: f64, law: L) -> Self {
        let length_s = config.initial_rtt_s.min(config.slot_s);
        Self {
            law,
            rate_bytes_per_s,
            average_rtt_s: config.initial_rtt_s,
            length_s,
            input_bytes: 0.0,
            sum_rtt_s: 0.0,
            packets_with_rtt: 0,
        }
    }

    /// A slot ends; returns when the next one does.
    fn update(&mut self, config: &RcpConfig, now: Nanos, link: &LinkView) -> Nanos {
        let capacity = self.law.capacity_bytes_per_s(now, self.input_bytes > 0.0, link);
        let sample = (self.packets_with_rtt > 0).then(|| self.sum_rtt_s / f64::from(self.packets_with_rtt));
        let fill = capacity.unwrap_or(f64::INFINITY);
        self.average_rtt_s = average_rtt(self.average_rtt_s, sample, self.length_s, self.rate_bytes_per_s, fill);
        let least = config.least_packets * config.mtu_bytes / self.average_rtt_s;
        self.rate_bytes_per_s = match capacity {
            Some(capacity) => {
                let ratio = self.law.ratio(&self.slot(capacity, link), link);
                clip(self.rate_bytes_per_s * ratio, least, config.eta * capacity)
            }
            None => least,
        };
        self.length_s = self.average_rtt_s.min(config.slot_s).max(1e-3);
        self.input_bytes = 0.0;
        self.sum_rtt_s = 0.0;
        self.packets_with_rtt = 0;
        timer(now, self.length_s)
    }

    fn slot(&self, capacity_bytes_per_s: f64, link: &LinkView) -> Slot {
        Slot {
            length_s: self.length_s,
            capacity_bytes_per_s,
            input_bytes_per_s: self.input_bytes / self.length_s,
            queue_bytes: link.queue_bytes as f64,
            average_rtt_s: self.average_rtt_s,
        }
    }
}

/// The header of a packet that asks for a rate; acknowledgements only count as traffic.
fn congestion_header(packet: &mut Packet) -> Option<&mut RcpHeader> {
    match &mut packet.header {
        Header::Rcp(header) if packet.kind.is_forward() => Some(header),
        _ => None,
    }
}

fn timer(now: Nanos, seconds: f64) -> Nanos {
    now.saturating_add(nanos(seconds).max(MILLISECOND))
}

#[cfg(test)]
mod tests {
    use super::super::super::capacity::tests::link;
    use super::super::super::test_flow;
    use super::*;
    use crate::packet::PacketKind;

    /// A link of so many bytes/s, at a fixed rate; 0: down.
    struct Still(f64);

    impl RateLaw for Still {
        fn capacity_bytes_per_s(&self, _now: Nanos, _used: bool, _link: &LinkView) -> Option<f64> {
            Some(self.0).filter(|&capacity| capacity > 0.0)
        }

        fn ratio(&self, _slot: &Slot, _link: &LinkView) -> f64 {
            1.0
        }
    }

    fn router(capacity: f64) -> RcpRouter<Still> {
        RcpRouter::new(RcpConfig::default(), &[link(8_000_000, true)].into(), |_| Still(capacity))
    }

    fn offered(router: &mut RcpRouter<Still>, asked: f64) -> f64 {
        let header = RcpHeader { bottleneck_bytes_per_s: asked, ..RcpHeader::default() };
        let mut packet = test_flow::packet(PacketKind::Data, 1040, Header::Rcp(header));
        router.on_departure(0, &NodeView { links: &[LinkView::default()].into() }, LocalLink(0), &mut packet);
        match packet.header {
            Header::Rcp(header) => header.bottleneck_bytes_per_s,
            _ => f64::NAN,
        }
    }

    #[test]
    fn a_packet_brings_back_the_least_rate_of_its_path() {
        let mut router = router(1e6);
        assert_eq!(offered(&mut router, -1.0), 5e4);
        assert_eq!(offered(&mut router, 6e4), 5e4);
        assert_eq!(offered(&mut router, 4e4), 4e4);
    }

    /// With alpha 0.4, beta 0.4 and eta 0.95 of 1e6 bytes/s, half used and 20 kB waiting for 0.1 s: 1 + 0.1 (0.4 (950 000 -
    /// 500 000) - 0.4 200 000) / 950 000.
    #[test]
    fn spare_and_queue_count_as_the_defaults_say() {
        let slot = Slot {
            length_s: 0.01,
            capacity_bytes_per_s: 1e6,
            input_bytes_per_s: 5e5,
            queue_bytes: 20_000.0,
            average_rtt_s: 0.1,
        };
        let ratio = RcpConfig::default().gains().ratio(&slot);
        assert!((ratio - (1.0 + 0.1 * 100_000.0 / 950_000.0)).abs() < 1e-12, "{ratio}");
    }

    /// Nothing comes in: the rate grows up to 0.95 of the capacity, in steps of 10 ms that begin after 10 ms.
    #[test]
    fn the_rate_of_an_idle_link_ends_at_its_aim() {
        struct Growing;
        impl RateLaw for Growing {
            fn capacity_bytes_per_s(&self, _now: Nanos, _used: bool, _link: &LinkView) -> Option<f64> {
                Some(1e6)
            }
            fn ratio(&self, slot: &Slot, _link: &LinkView) -> f64 {
                RcpConfig::default().gains().ratio(slot)
            }
        }
        let mut router = RcpRouter::new(RcpConfig::default(), &[link(8_000_000, true)].into(), |_| Growing);
        for step in 1..=1000 {
            assert_eq!(router.next_timer(), Some(step * 10 * MILLISECOND));
            router.on_timer(step * 10 * MILLISECOND, &NodeView { links: &[LinkView::default()].into() });
        }
        let header = RcpHeader { bottleneck_bytes_per_s: -1.0, ..RcpHeader::default() };
        let mut packet = test_flow::packet(PacketKind::Data, 1040, Header::Rcp(header));
        router.on_departure(0, &NodeView { links: &[LinkView::default()].into() }, LocalLink(0), &mut packet);
        let Header::Rcp(header) = packet.header else { unreachable!("the header stays what it is") };
        assert!((header.bottleneck_bytes_per_s - 0.95e6).abs() < 1e-6);
    }

    #[test]
    fn a_link_that_is_down_offers_the_least_there_is() {
        let mut router = router(0.0);
        router.on_timer(10 * MILLISECOND, &NodeView { links: &[LinkView::default()].into() });
        assert!((offered(&mut router, -1.0) - 0.1 * 1500.0 / 0.2).abs() < 1e-9);
        assert_eq!(router.next_timer(), Some(20 * MILLISECOND));
    }
}
