//! From a plan to a simulation at time zero.

use std::sync::Arc;

use crate::controller::{Controller, FlowSetup, LinkAirtimes, LinkSetup, LinkView, MacSetup, NodeSetup, Router};
use crate::event::{Event, EventQueue, Rank};
use crate::index::{FlowId, IndexVec, LinkId, LocalLink, NodeId};
use crate::medium::Medium;
use crate::network::{FqCodel, Link, Node, Packets};
use crate::plan::{FlowPlan, Heard, LinkKind, LinkPlan, NodePlan, Plan, RadioPlan};
use crate::record::Recorder;
use crate::transport::{DataReceiver, Sender};
use crate::units::{seconds, serialization, Nanos};
use crate::world::{MacParameters, WorldError};

use super::controlled::{controller_of, datagrams_of};
use super::octets;
use super::probing::probed_links;
use super::routing::Routing;
use super::uncontrolled::Uncontrolled;
use super::{Flow, Simulation};

/// Size of the packet whose service time a router is told, on links that no flow uses, bytes.
const USUAL_PACKET_BYTES: u32 = 1500;

/// Builds the state and schedules the initial events.
pub(super) fn simulation(
    mut plan: Plan,
    controllers: &[Box<dyn Controller>],
    seed: u64,
) -> Result<Simulation, WorldError> {
    plan.check_controllers(controllers.len())?;
    octets::count(&mut plan, controllers);
    let flows: IndexVec<FlowId, Flow> =
        plan.flows.enumerate().map(|(id, flow)| make_flow(id, flow, controllers)).collect();
    plan.check_sources(|id| flows[id].sender.never_sends())?;
    let (hearing, sensing) = (Arc::new(who_decodes_whom(&plan)), Arc::new(who_hears_whom(&plan, |heard| heard.senses)));
    let hearing = [hearing, sensing];
    let largest = largest_packets(&plan);
    let make = |node: NodeId| make_node(node, &plan, &hearing, &largest, controllers, seed);
    let nodes: IndexVec<NodeId, Node> = plan.nodes.ids().map(make).collect();
    let mut local: IndexVec<LinkId, LocalLink> = plan.links.iter().map(|_| LocalLink(0)).collect();
    for node in &plan.nodes {
        node.links.enumerate().for_each(|(index, &link)| local[link] = index);
    }
    let links = plan.links.enumerate().map(|(id, link)| Link::new(link, id, local[id], seed));
    let announce_frames = nodes.iter().any(|node| !node.routers.is_empty());
    let mut medium = Medium::new(&plan, seed, announce_frames);
    if controllers.iter().any(|controller| controller.reads_printed()) {
        medium.measure_as_printed();
    }
    if controllers.iter().any(|controller| controller.tells_interferers()) {
        medium.let_reports_reach_sensing();
    }
    let mut simulation = Simulation {
        seed,
        now: 0,
        events: EventQueue::default(),
        medium,
        packets: Packets::default(),
        links: links.collect(),
        nodes,
        flows,
        record: Recorder::new(&plan),
        routing: Routing::new(&plan, seed),
        arriving: 0,
        fault: None,
        plan,
    };
    simulation.schedule_initial_events();
    Ok(simulation)
}

impl Simulation {
    fn schedule_initial_events(&mut self) {
        for (index, (at, _)) in self.plan.changes.iter().enumerate() {
            self.events.push(*at, Rank::World, 0, Event::Change(index as u32));
        }
        for (id, node) in self.plan.nodes.enumerate() {
            if let Some((start, _)) = node.background.first() {
                self.events.push(*start, Rank::World, id.0, Event::Background(id));
            }
        }
        for (id, flow) in self.plan.flows.enumerate() {
            self.flows[id].sender_wakes_at = Some(flow.spec.start_ns);
            self.events.push_of_flow(flow.spec.start_ns, Rank::Source, flow.source.0, id, Event::Source(id));
        }
        for link in probed_links(&self.plan) {
            self.events.push(0, Rank::Router, self.links[link].from.0, Event::Probe(link));
        }
        for node in self.nodes.ids() {
            self.arm_router(node);
            self.arm_routing(node);
        }
        self.events.push(self.plan.record.bin_ns.min(self.plan.duration), Rank::Record, 0, Event::Bin);
    }
}

fn make_flow(id: FlowId, plan: &FlowPlan, controllers: &[Box<dyn Controller>]) -> Flow {
    let spec = &plan.spec;
    let setup = FlowSetup {
        mss_bytes: spec.payload_bytes,
        header_bytes: spec.header_bytes,
        initial_window_segments: spec.transport.initial_window_segments,
        hops: plan.routes.first().map_or(0, |route| route.forward.len()),
    };
    let controller = controller_of(spec, controllers).or_else(|| datagrams_of(spec, &setup, controllers));
    let (endpoint, receiver) = match controller {
        Some(controller) => (controller.endpoint(&setup), controller.receiver(&setup)),
        None => Uncontrolled::ends(),
    };
    Flow {
        route: 0,
        came_by: None,
        controller: controller.map(|controller| controller.name().to_owned()),
        sender: Sender::new(id, spec, endpoint),
        receiver: DataReceiver::new(id, spec, receiver),
        sender_wakes_at: None,
        receiver_wakes_at: None,
        completed_at: None,
    }
}

/// For every node, those whose frames it can decode.
pub(crate) fn who_decodes_whom(plan: &Plan) -> IndexVec<NodeId, Vec<NodeId>> {
    who_hears_whom(plan, |heard| heard.decodes)
}

/// For every node, those whose frames it hears in a way.
fn who_hears_whom(plan: &Plan, way: impl Fn(&Heard) -> bool) -> IndexVec<NodeId, Vec<NodeId>> {
    let mut hearing: IndexVec<NodeId, _> = plan.nodes.iter().map(|_| Vec::new()).collect();
    for from in plan.nodes.ids() {
        for heard in plan.audibility.of(from).iter().filter(|heard| way(heard)) {
            hearing[heard.by].push(from);
        }
    }
    hearing
}

fn make_node(
    id: NodeId,
    plan: &Plan,
    [decoding, sensing]: &[Arc<IndexVec<NodeId, Vec<NodeId>>>; 2],
    largest: &IndexVec<LinkId, u32>,
    controllers: &[Box<dyn Controller>],
    seed: u64,
) -> Node {
    let node = &plan.nodes[id];
    let link_plan = |link: LinkId| &plan.links[link];
    let is_radio = |link: &LinkId| matches!(link_plan(*link).kind, LinkKind::Radio(_));
    let setup = |hearing: &Arc<IndexVec<NodeId, Vec<NodeId>>>| NodeSetup {
        node: id,
        links: node.links.iter().map(|&link| link_setup(link, link_plan(link), largest[link], plan)).collect(),
        neighbours: hearing[id].clone(),
        hearing: Arc::clone(hearing),
        mac: node.links.iter().any(is_radio).then(|| mac_setup(&plan.mac)),
        seed,
    };
    let (setup, wider) = (setup(decoding), setup(sensing));
    let known = |controller: &dyn Controller| if controller.tells_interferers() { &wider } else { &setup };
    let routers: Vec<Box<dyn Router>> =
        controllers.iter().filter_map(|controller| controller.router(known(controller.as_ref()))).collect();
    Node {
        radio_links: node.links.iter().copied().filter(is_radio).collect(),
        links: node.links.clone(),
        interface_limit: node.interface_queue,
        discipline: node.fq_codel.map(FqCodel::new),
        lifetimes: node.links.iter().filter_map(|&link| Some((link, lifetime(node, link_plan(link))?))).collect(),
        routers,
        timer_at: None,
        views: node.links.iter().map(|_| LinkView::default()).collect(),
    }
}

/// How long packets may wait for a link: as its queue says, and its node's interface where it is a radio.
fn lifetime(node: &NodePlan, link: &LinkPlan) -> Option<Nanos> {
    let shared = node.interface_queue.filter(|_| matches!(link.kind, LinkKind::Radio(_)));
    [Some(link.queue), shared].into_iter().flatten().filter_map(|queue| queue.lifetime_ns).min()
}

/// The constants of the nodes' MAC.
pub(crate) fn mac_setup(mac: &MacParameters) -> MacSetup {
    let window = |stage: u32| (u64::from(mac.cw_min) + 1) << stage;
    MacSetup {
        slot_s: seconds(mac.slot_ns),
        sifs_s: seconds(mac.sifs_ns),
        difs_s: seconds(mac.difs_ns),
        plcp_s: seconds(mac.plcp_ns),
        cw_min: mac.cw_min,
        backoff_stages: (0..32).take_while(|&stage| window(stage) <= u64::from(mac.cw_max)).count() as u32,
        retries: mac.short_retry_limit - 1,
        rts_threshold_bytes: mac.rts_threshold_bytes.map_or(u32::MAX, |threshold| threshold.saturating_add(1)),
    }
}

/// The airtimes of a link's frames. Of measured airtimes, the line through those of no and of a usual packet.
pub(crate) fn link_airtimes(radio: &RadioPlan, mac: &MacParameters) -> LinkAirtimes {
    let empty = radio.data_airtime(mac, 0);
    let data_rate_bps = match radio.airtimes.as_slice() {
        [] => radio.rate_bps as f64,
        _ => {
            let payload = radio.data_airtime(mac, USUAL_PACKET_BYTES).saturating_sub(empty);
            8.0 * f64::from(USUAL_PACKET_BYTES) / seconds(payload)
        }
    };
    LinkAirtimes {
        rts_s: seconds(radio.control.rts),
        cts_s: seconds(radio.control.cts),
        ack_s: seconds(radio.control.ack),
        data_overhead_s: seconds(empty),
        data_rate_bps,
    }
}

/// For every link, the size of the largest data packet that may take it.
fn largest_packets(plan: &Plan) -> IndexVec<LinkId, u32> {
    let mut largest: IndexVec<LinkId, _> = plan.links.iter().map(|_| None).collect();
    for flow in &plan.flows {
        let bytes = Some(flow.spec.payload_bytes + flow.spec.header_bytes);
        for &link in flow.routes.iter().flat_map(|route| &route.forward) {
            let known = &mut largest[link];
            *known = bytes.max(*known);
        }
    }
    largest.iter().map(|bytes| bytes.unwrap_or(USUAL_PACKET_BYTES)).collect()
}

fn link_setup(id: LinkId, link: &LinkPlan, bytes: u32, plan: &Plan) -> LinkSetup {
    let (rate_bps, loss, service_time, airtimes): (u64, f64, Nanos, _) = match &link.kind {
        LinkKind::Wire(wire) => (wire.rate_bps, wire.loss, serialization(bytes, wire.rate_bps).unwrap_or(0), None),
        LinkKind::Radio(radio) => {
            let mac = &plan.mac;
            let exchange = mac.exchange_airtime(bytes, radio.data_airtime(mac, bytes), radio.control);
            let service_time = mac.difs_ns + mac.mean_backoff() + exchange;
            (radio.rate_bps, radio.loss, service_time, Some(link_airtimes(radio, mac)))
        }
    };
    LinkSetup {
        link: id,
        to: link.to,
        rate_bps,
        wired: matches!(link.kind, LinkKind::Wire(_)),
        queue_packets: link.queue.packets,
        service_time,
        loss,
        airtimes,
    }
}
