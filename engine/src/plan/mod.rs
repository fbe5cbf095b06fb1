//! A world checked and resolved: names have become indices, and every number is in its range.

mod audibility;
mod check;
mod links;
mod names;
mod routes;
mod routing;

pub(crate) use audibility::linear;
pub use audibility::{Audibility, Heard, Mobility};
pub(crate) use check::{RATES, RATES_IN_WORDS};
pub use links::{LinkKind, LinkPlan, RadioPlan, WirePlan};
pub use routes::{FlowPlan, Route};
pub use routing::RoutingPlan;

use std::sync::Arc;

use crate::index::{FlowId, IndexVec, LinkId, LocalLink, NodeId};
use crate::units::Nanos;
use crate::world::{
    ChangeKind, CongestionHeaders, FqCodelSpec, LinkChange, LinkSpec, Location, MacParameters, Probing, QueueSpec,
    RecordSpec, World, WorldError,
};

use links::Links;
use names::Names;

/// A world, checked and resolved.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How long.
    pub duration: Nanos,
    /// MAC and PHY.
    pub mac: MacParameters,
    /// Nodes.
    pub nodes: IndexVec<NodeId, NodePlan>,
    /// Directed links.
    pub links: IndexVec<LinkId, LinkPlan>,
    /// Flows.
    pub flows: IndexVec<FlowId, FlowPlan>,
    /// Who hears whom at the start.
    pub audibility: Arc<Audibility>,
    /// What changes, in order of time.
    pub changes: Vec<(Nanos, PlannedChange)>,
    /// How nodes move, where that matters.
    pub mobility: Option<Mobility>,
    /// How long routing takes a link for broken after its MAC dropped a packet.
    pub route_repair: Option<Nanos>,
    /// Whether it is from the first packet on that asks for it, and what begins at the node waits.
    pub route_repair_holds: bool,
    /// The routing protocol that nodes run.
    pub routing: Option<RoutingPlan>,
    /// Probes of the links that flows take.
    pub probing: Option<Probing>,
    /// What the fields of congestion controllers cost on the way.
    pub congestion_headers: CongestionHeaders,
    /// What is recorded.
    pub record: RecordSpec,
}

/// A node.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Its name.
    pub name: String,
    /// Its outgoing links.
    pub links: IndexVec<LocalLink, LinkId>,
    /// The limit that the queues of its wireless links share.
    pub interface_queue: Option<QueueSpec>,
    /// The discipline above it.
    pub fq_codel: Option<FqCodelSpec>,
    /// Busy intervals of background transmissions, in order of time.
    pub background: Vec<(Nanos, Nanos)>,
    /// Whether background transmissions corrupt what it receives.
    pub background_corrupts: bool,
}

/// Something that changes at an instant.
#[derive(Clone, Debug)]
pub enum PlannedChange {
    /// A link's conditions.
    Link(LinkId, LinkChange),
    /// Who hears whom.
    Hearing(Arc<Audibility>),
    /// The positions of nodes, where hearing follows from distance.
    Positions,
    /// The flow takes the route of this index.
    Route(FlowId, usize),
}

impl Plan {
    /// Checks and resolves a world.
    ///
    /// # Errors
    ///
    /// The first thing in it that cannot be run.
    pub fn new(world: &World) -> Result<Self, WorldError> {
        check::world(world)?;
        let names = Names::new(world)?;
        let links = Links::new(world, &names)?;
        let audibility = Audibility::new(world, &names, (&world.hearing, &Location::new("hearing", "hearing")), 0)?;
        let flows = routes::resolve(world, &names, &links)?;
        let mut plan = Self {
            duration: world.duration_ns,
            mac: world.mac.clone(),
            nodes: nodes(world, &names, &links.list)?,
            changes: changes(world, &names, &links, &flows)?,
            links: links.list,
            mobility: Mobility::new(world),
            route_repair: world.route_repair_ns,
            route_repair_holds: world.route_repair_holds,
            routing: RoutingPlan::new(world, &names)?,
            probing: world.probing,
            congestion_headers: world.congestion_headers,
            flows,
            audibility: Arc::new(audibility),
            record: world.record,
        };
        plan.changes.sort_by_key(|(at, _)| *at);
        plan.check_links_are_heard(world)?;
        Ok(plan)
    }

    /// The link of a node's broadcasts, behind those that are declared.
    #[must_use]
    pub fn broadcasts_of(&self, node: NodeId) -> LinkId {
        LinkId(self.links.len() as u32 + node.0)
    }

    /// Checks that flows name controllers below `count`.
    ///
    /// # Errors
    ///
    /// The first flow that does not.
    pub fn check_controllers(&self, count: usize) -> Result<(), WorldError> {
        check::controllers(&self.flows, count)
    }

    /// Checks that every flow can send anything; `never_sends` says of which one nothing would ever leave.
    ///
    /// # Errors
    ///
    /// The first flow without acknowledgements whose source has no times of its own and whose controller has no pace:
    /// it would be silent for the whole run.
    pub fn check_sources(&self, never_sends: impl Fn(FlowId) -> bool) -> Result<(), WorldError> {
        check::sources(&self.flows, never_sends)
    }

    /// Links that can never work are errors, unless nodes move or hearing changes.
    fn check_links_are_heard(&self, world: &World) -> Result<(), WorldError> {
        let changes = self.changes.iter().any(|(_, change)| !matches!(change, PlannedChange::Link(..)));
        if changes || self.mobility.is_some() {
            return Ok(());
        }
        let deaf = self.links.iter().find(|link| {
            matches!(link.kind, LinkKind::Radio(_))
                && !(self.audibility.decodes(link.from, link.to) && self.audibility.decodes(link.to, link.from))
        });
        deaf.map_or(Ok(()), |link| {
            let name = |node: NodeId| self.nodes.get(node).map(|node| node.name.clone()).unwrap_or_default();
            let (from, to) = (name(link.from), name(link.to));
            let declares = |spec: &LinkSpec| {
                (&spec.from, &spec.to) == (&from, &to) || spec.duplex && (&spec.to, &spec.from) == (&from, &to)
            };
            let location = Location::new("", "links").index(world.links.iter().position(declares).unwrap_or(0));
            Err(WorldError::Deaf { from, to, location })
        })
    }
}

fn nodes(
    world: &World,
    names: &Names,
    links: &IndexVec<LinkId, LinkPlan>,
) -> Result<IndexVec<NodeId, NodePlan>, WorldError> {
    let mut nodes: IndexVec<NodeId, _> = world
        .nodes
        .iter()
        .map(|node| NodePlan {
            name: node.name.clone(),
            links: IndexVec::default(),
            interface_queue: node.interface_queue,
            fq_codel: node.fq_codel,
            background: Vec::new(),
            background_corrupts: false,
        })
        .collect();
    for (id, link) in links.enumerate() {
        nodes[link.from].links.push(id);
    }
    for (index, background) in world.background.iter().enumerate() {
        let location = || Location::new("a background", "background").index(index).key("node");
        let node = names.node(&background.node, location)?;
        let node = &mut nodes[node];
        node.background.clone_from(&background.busy_ns);
        node.background_corrupts = background.corrupts;
    }
    Ok(nodes)
}

fn changes(
    world: &World,
    names: &Names,
    links: &Links,
    flows: &IndexVec<FlowId, FlowPlan>,
) -> Result<Vec<(Nanos, PlannedChange)>, WorldError> {
    let mut changes = Vec::new();
    let mut relations = 0;
    for (index, change) in world.changes.iter().enumerate() {
        let location =
            Location::new(format!("the change at {} ns", change.at_ns), "changes").index(index).key("change");
        let planned = match &change.change {
            ChangeKind::Link(link) => {
                let location = location.key("link");
                let from = names.node(&link.from, || location.key("from"))?;
                let to = names.node(&link.to, || location.key("to"))?;
                let id = links.find(from, to).ok_or_else(|| WorldError::NoLink {
                    location: location.key("to"),
                    from: link.from.clone(),
                    to: link.to.clone(),
                })?;
                PlannedChange::Link(id, link.clone())
            }
            ChangeKind::Hearing(hearing) => {
                let location = location.key("hearing").described_as("hearing");
                let audibility = Audibility::new(world, names, (hearing, &location), change.at_ns)?;
                relations += audibility.len();
                audibility::check_size(relations)?;
                PlannedChange::Hearing(Arc::new(audibility))
            }
        };
        changes.push((change.at_ns, planned));
    }
    for (id, flow) in flows.enumerate() {
        let reroutes = flow.routes.iter().enumerate().skip(1);
        changes.extend(reroutes.map(|(route, planned)| (planned.at, PlannedChange::Route(id, route))));
    }
    for at in audibility::instants(world) {
        changes.push((at, PlannedChange::Positions));
    }
    Ok(changes)
}

#[cfg(test)]
mod tests;
