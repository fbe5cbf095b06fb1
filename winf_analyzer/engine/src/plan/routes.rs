//! Where the packets of a flow go from each node.

use crate::packet::{LinkId, NodeId, PacketKind};
use crate::units::Nanos;
use crate::world::{FlowSpec, World, WorldError};

use super::links::{LinkPlan, Links};
use super::names::Names;

/// Most nodes of a path.
const MOST_NODES: usize = 1000;

/// A flow.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// As it was declared.
    pub spec: FlowSpec,
    /// Its first node.
    pub source: NodeId,
    /// Its last node.
    pub destination: NodeId,
    /// Its routes, in order of time; the first is taken from the start.
    pub routes: Vec<Route>,
}

/// A route and the way back.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// From when on.
    pub at: Nanos,
    /// Links of the way there.
    pub forward: Vec<LinkId>,
    /// Links of the way back.
    pub backward: Vec<LinkId>,
}

impl Route {
    /// The link a packet takes from a node; `None` if the route does not touch the node.
    #[must_use]
    pub fn next(&self, links: &[LinkPlan], kind: PacketKind, node: NodeId) -> Option<LinkId> {
        let way = if kind.is_forward() { &self.forward } else { &self.backward };
        way.iter().copied().find(|link| links.get(link.0 as usize).is_some_and(|link| link.from == node))
    }
}

/// Resolves the flows of a world.
pub(super) fn resolve(world: &World, names: &Names, links: &Links) -> Result<Vec<FlowPlan>, WorldError> {
    let mut seen = std::collections::HashSet::new();
    let mut flows = Vec::with_capacity(world.flows.len());
    for spec in &world.flows {
        if !seen.insert(spec.name.as_str()) {
            return Err(WorldError::Duplicate { what: "flows", name: spec.name.clone() });
        }
        let path = nodes(spec, &spec.path, names)?;
        let mut routes = vec![route(spec, 0, &spec.path, spec.reverse_path.as_deref(), names, links)?];
        for reroute in &spec.reroutes {
            let ends = (reroute.path.first(), reroute.path.last());
            if ends != (spec.path.first(), spec.path.last()) {
                return Err(value(spec, "reroutes", format!("{:?}", reroute.path), "a path with the flow's ends"));
            }
            routes.push(route(spec, reroute.at_ns, &reroute.path, reroute.reverse_path.as_deref(), names, links)?);
        }
        if !routes.is_sorted_by_key(|route| route.at) {
            return Err(value(spec, "reroutes", "unordered".to_owned(), "in order of time"));
        }
        let (Some(&source), Some(&destination)) = (path.first(), path.last()) else {
            return Err(value(spec, "path", "empty".to_owned(), "two nodes or more"));
        };
        flows.push(FlowPlan { spec: spec.clone(), source, destination, routes });
    }
    Ok(flows)
}

fn route(
    spec: &FlowSpec,
    at: Nanos,
    path: &[String],
    back: Option<&[String]>,
    names: &Names,
    links: &Links,
) -> Result<Route, WorldError> {
    let forward = nodes(spec, path, names)?;
    let backward = match back {
        Some(back) => nodes(spec, back, names)?,
        None => forward.iter().rev().copied().collect(),
    };
    if (backward.first(), backward.last()) != (forward.last(), forward.first()) {
        return Err(value(spec, "reverse_path", format!("{back:?}"), "from the flow's end to its start"));
    }
    let forward_links = hops(spec, &forward, names, links)?;
    let backward = if spec.ack_bytes == 0 { Vec::new() } else { hops(spec, &backward, names, links)? };
    Ok(Route { at, forward: forward_links, backward })
}

fn nodes(spec: &FlowSpec, path: &[String], names: &Names) -> Result<Vec<NodeId>, WorldError> {
    let place = || format!("the path of flow {:?}", spec.name);
    let nodes = path.iter().map(|name| names.node(name, place)).collect::<Result<Vec<_>, _>>()?;
    let distinct: std::collections::HashSet<_> = nodes.iter().collect();
    if !(2..=MOST_NODES).contains(&nodes.len()) || distinct.len() < nodes.len() {
        return Err(value(spec, "path", format!("{path:?}"), "two to 1000 nodes, each at most once"));
    }
    Ok(nodes)
}

fn hops(spec: &FlowSpec, nodes: &[NodeId], names: &Names, links: &Links) -> Result<Vec<LinkId>, WorldError> {
    let link = |pair: &[NodeId]| {
        links.find(pair[0], pair[1]).ok_or_else(|| WorldError::NoLink {
            place: format!("the path of flow {:?}", spec.name),
            from: names.name(pair[0]),
            to: names.name(pair[1]),
        })
    };
    nodes.windows(2).map(link).collect()
}

fn value(spec: &FlowSpec, name: &'static str, value: String, expected: &'static str) -> WorldError {
    WorldError::Value { place: format!("flow {:?}", spec.name), name, value, expected }
}
