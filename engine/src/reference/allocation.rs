//! The max-min fair allocation of a declared world.

use crate::controller::{LinkAirtimes, MacSetup};
use crate::index::{IndexVec, LinkId, NodeId};
use crate::plan::{FlowPlan, LinkKind, LinkPlan, Plan, RadioPlan};
use crate::simulation::{link_airtimes, mac_setup, who_decodes_whom};
use crate::world::{Source, World, WorldError};

use super::max_min::{max_min, uses, Route, Use};

/// What the model finds for a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// Payload rates of the flows, bit/s.
    pub rates_bps: Vec<f64>,
    /// The links that they use.
    pub links: Vec<LinkUse>,
}

/// A link at the allocated rates.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkUse {
    /// Name of the node that sends.
    pub from: String,
    /// Name of the node that receives.
    pub to: String,
    /// Share of the time in which a packet of the link is in service.
    pub utilisation: f64,
    /// Whether its sender is fully used, so that its queue is: what S003 (sec. III-B) calls a congested link.
    pub congested: bool,
}

/// Rates of a world's flows as [`max_min`] allocates them while all of them have something to send, and the use that they
/// make of links.
///
/// `None`: the model does not hold, because the world has wires or background traffic, sources with a schedule, or
/// changes over time.
///
/// # Errors
///
/// The first thing in the world that cannot be run.
pub fn allocation(world: &World) -> Result<Option<Allocation>, WorldError> {
    let plan = Plan::new(world)?;
    Ok(mac(&plan).map(|mac| {
        let routes: Vec<_> = plan.flows.iter().map(|flow| route(flow, &plan.links)).collect();
        let link = |from: NodeId, to: NodeId| {
            let link = plan.links.iter().find(|link| link.from == from && link.to == to);
            link.and_then(radio).map_or((0.0, NO_TIME), |radio| (radio.loss, link_airtimes(radio, &plan.mac)))
        };
        let hearing = who_decodes_whom(&plan);
        let rates = max_min(mac, &hearing, link, &routes);
        let name = |node: NodeId| plan.nodes.get(node).map(|node| node.name.clone()).unwrap_or_default();
        let used = |one: Use| LinkUse {
            from: name(one.from),
            to: name(one.to),
            utilisation: one.utilization,
            congested: one.congested,
        };
        Allocation {
            links: uses(mac, &hearing, link, &routes, &rates).into_iter().map(used).collect(),
            rates_bps: rates.iter().zip(&plan.flows).map(|(rate, flow)| rate * payload_bits(flow)).collect(),
        }
    }))
}

/// Whether [`allocation`] returns rates.
///
/// # Errors
///
/// The first thing in the world that cannot be run.
pub fn can_allocate(world: &World) -> Result<bool, WorldError> {
    Ok(mac(&Plan::new(world)?).is_some())
}

/// Of links that a route does not take.
const NO_TIME: LinkAirtimes =
    LinkAirtimes { rts_s: 0.0, cts_s: 0.0, ack_s: 0.0, data_overhead_s: 0.0, data_rate_bps: f64::INFINITY };

/// The MAC that all links share, where one describes them for the whole run.
fn mac(plan: &Plan) -> Option<MacSetup> {
    let changes = !plan.changes.is_empty() || plan.mobility.is_some();
    let wireless = !plan.links.is_empty() && plan.links.iter().all(|link| radio(link).is_some());
    let alone = plan.nodes.iter().all(|node| node.background.is_empty());
    let steady = |flow: &FlowPlan| !flow.spec.background && !matches!(flow.spec.source, Source::Scheduled(_));
    let steady = plan.flows.iter().all(steady);
    (!changes && wireless && alone && steady).then(|| mac_setup(&plan.mac))
}

fn radio(link: &LinkPlan) -> Option<&RadioPlan> {
    match &link.kind {
        LinkKind::Radio(radio) => Some(radio),
        LinkKind::Wire(_) => None,
    }
}

fn route(flow: &FlowPlan, links: &IndexVec<LinkId, LinkPlan>) -> Route {
    let hops = flow.routes.first().map_or(&[][..], |route| &route.forward);
    let ends = hops.iter().filter_map(|&link| links.get(link)).map(|link| link.to);
    Route {
        path: std::iter::once(flow.source).chain(ends).collect(),
        packet_bytes: flow.spec.payload_bytes + flow.spec.header_bytes,
        ack_bytes: flow.spec.ack_bytes,
        most_packets_per_s: match flow.spec.source {
            Source::Cbr { rate_bps } => rate_bps as f64 / payload_bits(flow),
            Source::Voip => 50.0,
            Source::Greedy | Source::Bytes(_) | Source::Scheduled(_) => f64::INFINITY,
        },
    }
}

/// Payload of one packet, bits.
fn payload_bits(flow: &FlowPlan) -> f64 {
    let bytes = if flow.spec.source == Source::Voip { 160 } else { flow.spec.payload_bytes };
    f64::from(bytes) * 8.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{FlowSpec, LinkSpec, NodeSpec};

    fn pair(link: LinkSpec) -> World {
        let mut world = World::new("pair", vec![NodeSpec::new("a"), NodeSpec::new("b")], vec![link]);
        world.flows.push(FlowSpec { payload_bytes: 1500, ..FlowSpec::new("f", ["a", "b"]).unacknowledged() });
        world
    }

    /// A 1528-byte packet of 802.11b without RTS takes 50 + 310 + 1323.6 + 10 + 304 us on average.
    #[test]
    fn a_pair_gets_what_its_link_carries() {
        let rates = allocation(&pair(LinkSpec::wireless("a", "b", 11_000_000))).unwrap().unwrap().rates_bps;
        let expected = 1500.0 * 8.0 / (50.0 + 310.0 + 1323.64 + 10.0 + 304.0) * 1e6;
        assert!((rates[0] / expected - 1.0).abs() < 0.02, "{rates:?}, {expected}");
    }

    #[test]
    fn a_source_with_a_rate_gets_no_more() {
        let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000));
        world.flows[0].source = Source::Cbr { rate_bps: 1_000_000 };
        let rates = allocation(&world).unwrap().unwrap().rates_bps;
        assert!((rates[0] - 1e6).abs() < 1e4, "{rates:?}");
    }

    #[test]
    fn the_model_does_not_hold_for_wires() {
        assert_eq!(allocation(&pair(LinkSpec::wired("a", "b", 10_000_000, 1000))), Ok(None));
    }
}
