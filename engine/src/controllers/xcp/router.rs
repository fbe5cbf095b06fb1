//! An XCP node: the hooks and timers around its interfaces. What it may grant comes from a [`Law`].

use super::super::agenda::Agenda;
use super::super::interfaces::Interfaces;
use super::interface::{Allotment, Interface, Interval, RouterConfig};
use crate::controller::{LinkSetup, LinkView, NodeSetup, NodeView, Router, Sight};
use crate::index::LocalLink;
use crate::packet::{Header, Packet, PacketKind, XcpHeader};
use crate::random::{Purpose, Stream};
use crate::units::{nanos, Nanos, MILLISECOND};

/// What may be granted over the next interval, bytes/s each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grant {
    /// Aggregate feedback F: positive to raise the flows' rates, negative to lower them.
    pub aggregate_bytes_per_s: f64,
    /// Traffic a share of which is shuffled between flows.
    pub traffic_bytes_per_s: f64,
}

/// How a router finds the aggregate feedback of one interface.
pub trait Law: Send {
    /// At the end of a control interval; `None`: the link is down and nothing is granted.
    fn grant(&mut self, now: Nanos, interval: &Interval, link: &LinkView) -> Option<Grant>;
    /// How fast the queue drains, bytes/s, where it is known; `used`: something came in lately.
    fn drain_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64>;
    /// Whether the persistent queue is the least one of the control interval, and not of a timer of its own (alg. 5).
    fn measures_per_interval(&self) -> bool {
        false
    }
    /// Inter-packet time to use for a packet, s.
    fn inter_packet_s(&self, header: &XcpHeader, _size_bytes: f64, _link: &LinkView) -> f64 {
        header.inter_packet_s
    }
    /// What a packet gets of what the pools offer it.
    fn allot(&self, interface: &Interface, delta: f64, offer: (f64, f64), _link: &LinkView) -> Allotment {
        interface.allot(delta, offer)
    }
}

/// A node whose interfaces follow `L`.
#[derive(Debug)]
pub struct XcpRouter<L> {
    interfaces: Interfaces,
    governors: Vec<Governor<L>>,
    /// When the queue of each interface is looked at.
    queues: Agenda,
    /// When the control interval of each ends.
    controls: Agenda,
}

impl<L: Law> XcpRouter<L> {
    /// A law for each interface of a node.
    pub fn new(config: RouterConfig, node: &NodeSetup, law: impl Fn(&LinkSetup) -> L) -> Self {
        let interfaces = Interfaces::new(&node.links);
        let governor = |setup: &LinkSetup| {
            let mut random = Stream::new(node.seed, Purpose::RouterTimers, setup.link.0);
            let mut first = || {
                let factor = 1.0 + config.first_interval_deviation * random.normal();
                timer(0, config.initial_interval_s * factor.max(0.0))
            };
            let (control_at, queue_at) = (first(), first());
            (Governor { interface: Interface::new(config), law: law(setup) }, control_at, queue_at)
        };
        let mut governors = Vec::new();
        let (mut control_at, mut queue_at) = (Vec::new(), Vec::new());
        for (governor, control, queue) in interfaces.setups(&node.links).iter().map(governor) {
            governors.push(governor);
            control_at.push(control);
            queue_at.push(queue);
        }
        Self { interfaces, governors, queues: Agenda::new(queue_at), controls: Agenda::new(control_at) }
    }
}

impl<L: Law> Router for XcpRouter<L> {
    fn look(&self, now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        match link {
            Some(link) => self.interfaces.of(link).into_iter().for_each(|index| self.interfaces.look(index, see)),
            None => [&self.queues, &self.controls]
                .iter()
                .flat_map(|agenda| agenda.due(now))
                .for_each(|index| self.interfaces.look(index, see)),
        }
        Sight::Named
    }

    fn on_arrival(&mut self, _now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        let Some(index) = self.interfaces.of(link) else { return };
        let size = f64::from(packet.size_bytes);
        self.interfaces.count(link, size);
        let (Some(governor), link) = (self.governors.get_mut(index), self.interfaces.view(index, view)) else { return };
        let (inter_packet_s, rtt_s) = match congestion_header(packet) {
            Some(header) => (governor.law.inter_packet_s(header, size, &link), header.rtt_s),
            None => (0.0, 0.0),
        };
        governor.interface.arrive(size, inter_packet_s, rtt_s);
        if !governor.interface.samples_at_departures() {
            governor.interface.see_queue(link.queue_bytes as f64);
        }
    }

    fn on_departure(&mut self, _now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        let Some(index) = self.interfaces.of(link) else { return };
        let (Some(governor), link) = (self.governors.get_mut(index), self.interfaces.view(index, view)) else { return };
        if governor.interface.samples_at_departures() {
            governor.interface.see_queue(link.queue_bytes as f64);
        }
        let size = f64::from(packet.size_bytes);
        let Some(header) = congestion_header(packet) else { return };
        if header.rtt_s <= 0.0 {
            header.delta_bytes_per_s = 0.0;
            return;
        }
        let offer = governor.interface.offer(size, governor.law.inter_packet_s(header, size, &link));
        let allotment = governor.law.allot(&governor.interface, header.delta_bytes_per_s, offer, &link);
        governor.interface.charge(&allotment);
        header.delta_bytes_per_s = allotment.delta;
    }

    fn next_timer(&self) -> Option<Nanos> {
        [self.queues.next(), self.controls.next()].into_iter().flatten().min()
    }

    fn on_timer(&mut self, now: Nanos, view: &NodeView) {
        for index in self.queues.due(now) {
            let at = self.governors[index].measure_queue(now, &self.interfaces.view(index, view));
            self.queues.set(index, at);
        }
        for index in self.controls.due(now) {
            let at = self.governors[index].control(now, &self.interfaces.view(index, view));
            self.controls.set(index, at);
            self.interfaces.age(index);
        }
    }
}

/// The control of one interface.
#[derive(Debug)]
struct Governor<L> {
    interface: Interface,
    law: L,
}

impl<L: Law> Governor<L> {
    /// A control interval ends; returns when the next one does.
    fn control(&mut self, now: Nanos, link: &LinkView) -> Nanos {
        if self.law.measures_per_interval() {
            self.interface.end_of_span(link.queue_bytes as f64);
        }
        let grant = self.law.grant(now, &self.interface.interval(), link);
        let feedback = grant.map(|grant| (grant.aggregate_bytes_per_s, grant.traffic_bytes_per_s));
        timer(now, self.interface.control(feedback))
    }

    /// The queue is looked at; returns when it is next.
    fn measure_queue(&mut self, now: Nanos, link: &LinkView) -> Nanos {
        if self.law.measures_per_interval() {
            return now.saturating_add(nanos(self.interface.interval().length_s).max(MILLISECOND));
        }
        let drain = self.law.drain_bytes_per_s(now, self.interface.interval().used(), link);
        timer(now, self.interface.measure_queue(link.queue_bytes as f64, drain))
    }
}

/// The header of a packet whose flow takes part; acknowledgements only count as traffic.
fn congestion_header(packet: &mut Packet) -> Option<&mut XcpHeader> {
    match (&mut packet.header, packet.kind) {
        (Header::Xcp(header), PacketKind::Data) => Some(header),
        _ => None,
    }
}

fn timer(now: Nanos, seconds: f64) -> Nanos {
    now.saturating_add(nanos(seconds).max(MILLISECOND))
}

#[cfg(test)]
mod tests {
    use super::super::super::capacity::tests::link;
    use super::super::super::test_flow::{node, packet};
    use super::*;
    use crate::controller::Receiver;
    use crate::cross_layer::CrossLayer;
    use crate::index::{IndexVec, LinkId};
    use crate::units::SECOND;

    /// Grants the same whatever happens.
    struct Fixed(f64);

    impl Law for Fixed {
        fn grant(&mut self, _now: Nanos, _interval: &Interval, _link: &LinkView) -> Option<Grant> {
            Some(Grant { aggregate_bytes_per_s: self.0, traffic_bytes_per_s: 0.0 })
        }

        fn drain_bytes_per_s(&self, _now: Nanos, _used: bool, _link: &LinkView) -> Option<f64> {
            None
        }
    }

    fn header(rtt_s: f64) -> Header {
        Header::Xcp(XcpHeader { rtt_s, inter_packet_s: 0.01, delta_bytes_per_s: 1e24, ..XcpHeader::default() })
    }

    fn delta(packet: &Packet) -> f64 {
        match packet.header {
            Header::Xcp(header) => header.delta_bytes_per_s,
            _ => f64::NAN,
        }
    }

    #[test]
    fn packets_of_an_interval_share_what_the_law_grants() {
        let links =
            IndexVec::from([LinkView { queue_bytes: 1040, queue_packets: 1, cross_layer: CrossLayer::default() }]);
        let view = NodeView { links: &links };
        let mut router = XcpRouter::new(RouterConfig::default(), &node([link(8_000_000, true)]), |_| Fixed(1000.0));
        for _ in 0..4 {
            router.on_arrival(0, &view, LocalLink(0), &mut packet(PacketKind::Data, 1040, header(0.1)));
        }
        assert_eq!(router.next_timer(), Some(50 * MILLISECOND));
        router.on_timer(50 * MILLISECOND, &view);
        let granted: Vec<f64> = (0..5)
            .map(|_| {
                let mut sent = packet(PacketKind::Data, 1040, header(0.1));
                router.on_departure(50 * MILLISECOND, &view, LocalLink(0), &mut sent);
                delta(&sent)
            })
            .collect();
        assert!(granted[..4].iter().all(|&granted| (granted - 250.0).abs() < 1e-9) && granted[4] == 0.0, "{granted:?}");
        assert_eq!(router.controls.next(), Some(150 * MILLISECOND));
    }

    /// S002 fig. 1: the source asks for more than there is, the first router lowers that to 250 bytes/s, the second to 100, the
    /// third would give more and lets it pass; the receiver returns 100.
    #[test]
    fn the_tightest_router_decides_and_the_receiver_returns_it() {
        use crate::controllers::xcp::host::Sum;
        let links = IndexVec::from([LinkView::default()]);
        let view = NodeView { links: &links };
        let mut sent = packet(PacketKind::Data, 1040, header(0.1));
        let mut seen = Vec::new();
        for granted in [250.0, 100.0, 9000.0] {
            let mut router =
                XcpRouter::new(RouterConfig::default(), &node([link(8_000_000, true)]), |_| Fixed(granted));
            router.on_arrival(0, &view, LocalLink(0), &mut packet(PacketKind::Data, 1040, header(0.1)));
            router.on_timer(50 * MILLISECOND, &view);
            router.on_departure(50 * MILLISECOND, &view, LocalLink(0), &mut sent);
            seen.push(delta(&sent));
        }
        assert_eq!(seen, [250.0, 100.0, 100.0]);
        let mut ack = packet(PacketKind::Ack, 40, Header::None);
        Sum::default().on_data(0, &CrossLayer::default(), &sent, &mut ack);
        let Header::Xcp(returned) = ack.header else { panic!("{ack:?}") };
        assert_eq!(returned.reverse_feedback_bytes_per_s, 100.0);
    }

    #[test]
    fn flows_without_a_round_trip_time_and_acknowledgements_get_nothing() {
        let links = IndexVec::from([LinkView::default()]);
        let view = NodeView { links: &links };
        let mut router = XcpRouter::new(RouterConfig::default(), &node([link(8_000_000, true)]), |_| Fixed(1000.0));
        let mut first = packet(PacketKind::Data, 1040, header(0.0));
        router.on_departure(0, &view, LocalLink(0), &mut first);
        assert_eq!(delta(&first), 0.0);
        let mut ack = packet(PacketKind::Ack, 40, header(0.1));
        router.on_arrival(0, &view, LocalLink(0), &mut ack);
        router.on_departure(0, &view, LocalLink(0), &mut ack);
        assert_eq!(ack.header, header(0.1));
        assert!(router.governors[0].interface.interval().used(), "acknowledgements are traffic");
    }

    #[test]
    fn first_timers_differ_between_interfaces_and_seeds_where_wanted() {
        let drawn = RouterConfig { first_interval_deviation: 0.2, ..RouterConfig::default() };
        let first = |config, seed| {
            let links = [link(8_000_000, true), LinkSetup { link: LinkId(1), ..link(8_000_000, true) }];
            let router = XcpRouter::new(config, &NodeSetup { seed, ..node(links) }, |_| Fixed(0.0));
            [router.controls.instants(), router.queues.instants()].concat()
        };
        assert_eq!(first(RouterConfig::default(), 1), [50 * MILLISECOND; 4]);
        let mut seen: Vec<_> = [first(drawn, 1), first(drawn, 2)].concat();
        assert_eq!(first(drawn, 1), seen[..4]);
        assert!(seen.iter().all(|&at| (MILLISECOND..110 * MILLISECOND).contains(&at)), "{seen:?}");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 8);
    }

    #[test]
    fn a_packet_or_timer_looks_at_its_own_interface() {
        let links = [link(8_000_000, true), link(8_000_000, true), link(8_000_000, false), link(8_000_000, false)];
        let mut router = XcpRouter::new(RouterConfig::default(), &node(links), |_| Fixed(0.0));
        let looks = |router: &XcpRouter<Fixed>, now, link| {
            let mut seen = Vec::new();
            assert_eq!(router.look(now, link, &mut |link| seen.push(link.0)), Sight::Named);
            seen
        };
        assert_eq!([1, 3].map(|at| looks(&router, 0, Some(LocalLink(at)))), [vec![1], vec![2, 3]]);
        router.controls.set(1, 60 * MILLISECOND);
        (0..3).for_each(|interface| router.queues.set(interface, 60 * MILLISECOND));
        assert_eq!(looks(&router, 50 * MILLISECOND, None), [0, 2, 3]);
        assert_eq!(looks(&router, 49 * MILLISECOND, None), [0; 0]);
    }

    #[test]
    fn timers_never_stand_still() {
        let links = IndexVec::from([LinkView { queue_bytes: u64::MAX, ..LinkView::default() }]);
        let mut router = XcpRouter::new(RouterConfig::default(), &node([link(8_000_000, true)]), |_| Fixed(f64::NAN));
        let mut now = 0;
        while let Some(next) = router.next_timer().filter(|&next| next < SECOND) {
            assert!(next > now);
            now = next;
            router.on_timer(now, &NodeView { links: &links });
        }
    }
}
