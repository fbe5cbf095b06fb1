//! Routes: the next link of a flow at each node.

use crate::index::{FlowId, IndexVec, LinkId, NodeId};
use crate::packet::PacketKind;
use crate::units::Nanos;
use crate::world::{FlowSpec, Location, World, WorldError};

use super::links::{LinkPlan, Links};
use super::names::Names;

/// Most nodes of a path.
const MAX_NODES: usize = 1000;

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
    /// Octets of options in the MAC headers of its frames, forward and backward.
    pub options: (u32, u32),
}

/// A route and its reverse.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// From when on.
    pub at: Nanos,
    /// Links from source to destination.
    pub forward: Vec<LinkId>,
    /// Links from destination to source.
    pub backward: Vec<LinkId>,
}

impl Route {
    /// The link a packet takes from a node; `None` if the route does not touch the node.
    #[must_use]
    pub fn next(&self, links: &IndexVec<LinkId, LinkPlan>, kind: PacketKind, node: NodeId) -> Option<LinkId> {
        let way = if kind.is_forward() { &self.forward } else { &self.backward };
        way.iter().copied().find(|&link| links.get(link).is_some_and(|link| link.from == node))
    }
}

/// Resolves the flows of a world.
pub(super) fn resolve(world: &World, names: &Names, links: &Links) -> Result<IndexVec<FlowId, FlowPlan>, WorldError> {
    let mut seen = std::collections::HashSet::new();
    let mut flows = IndexVec::default();
    for (index, spec) in world.flows.iter().enumerate() {
        let location = location(index, spec);
        if !seen.insert(spec.name.as_str()) {
            return Err(WorldError::Duplicate { what: "flows", name: spec.name.clone(), location });
        }
        let way = Way { spec, names, links, location: &location };
        let path = way.nodes(&spec.path, "path")?;
        let mut routes = vec![way.route(0, &spec.path, spec.reverse_path.as_deref())?];
        for (index, reroute) in spec.reroutes.iter().enumerate() {
            let location = location.key("reroutes").index(index);
            let ends = (reroute.path.first(), reroute.path.last());
            if ends != (spec.path.first(), spec.path.last()) {
                return Err(value(&location, "path", format!("{:?}", reroute.path), "a path with the flow's ends"));
            }
            let way = Way { location: &location, ..way };
            routes.push(way.route(reroute.at_ns, &reroute.path, reroute.reverse_path.as_deref())?);
        }
        if !routes.is_sorted_by_key(|route| route.at) {
            return Err(value(&location, "reroutes", "unordered".to_owned(), "in order of time"));
        }
        let (Some(&source), Some(&destination)) = (path.first(), path.last()) else {
            return Err(value(&location, "path", "empty".to_owned(), "two nodes or more"));
        };
        flows.push(FlowPlan { spec: spec.clone(), source, destination, routes, options: (0, 0) });
    }
    Ok(flows)
}

/// Where a flow is declared.
pub(super) fn location(index: usize, spec: &FlowSpec) -> Location {
    Location::new(format!("flow {:?}", spec.name), "flows").index(index)
}

/// Resolves the names of a flow or of one of its reroutes.
#[derive(Clone, Copy)]
struct Way<'a> {
    spec: &'a FlowSpec,
    names: &'a Names<'a>,
    links: &'a Links,
    location: &'a Location,
}

impl Way<'_> {
    fn route(&self, at: Nanos, path: &[String], back: Option<&[String]>) -> Result<Route, WorldError> {
        let forward = self.nodes(path, "path")?;
        let backward = match back {
            Some(back) => self.nodes(back, "reverse_path")?,
            None => forward.iter().rev().copied().collect(),
        };
        if (backward.first(), backward.last()) != (forward.last(), forward.first()) {
            let found = format!("{back:?}");
            return Err(value(self.location, "reverse_path", found, "from the flow's end to its start"));
        }
        let forward_links = self.hops(&forward, "path")?;
        let back_key = if back.is_some() { "reverse_path" } else { "path" };
        let backward = if self.spec.ack_bytes == 0 { Vec::new() } else { self.hops(&backward, back_key)? };
        Ok(Route { at, forward: forward_links, backward })
    }

    fn nodes(&self, path: &[String], key: &'static str) -> Result<Vec<NodeId>, WorldError> {
        let node = |(index, name): (usize, &String)| self.names.node(name, || self.path(key).index(index));
        let nodes = path.iter().enumerate().map(node).collect::<Result<Vec<_>, _>>()?;
        let distinct: std::collections::HashSet<_> = nodes.iter().collect();
        if !(2..=MAX_NODES).contains(&nodes.len()) || distinct.len() < nodes.len() {
            return Err(value(self.location, key, format!("{path:?}"), "two to 1000 nodes, each at most once"));
        }
        Ok(nodes)
    }

    fn hops(&self, nodes: &[NodeId], key: &'static str) -> Result<Vec<LinkId>, WorldError> {
        let link = |pair: &[NodeId]| {
            self.links.find(pair[0], pair[1]).ok_or_else(|| WorldError::NoLink {
                location: self.path(key),
                from: self.names.name(pair[0]),
                to: self.names.name(pair[1]),
            })
        };
        nodes.windows(2).map(link).collect()
    }

    fn path(&self, key: &'static str) -> Location {
        self.location.key(key).described_as(format!("the path of flow {:?}", self.spec.name))
    }
}

fn value(location: &Location, name: &'static str, value: String, expected: &'static str) -> WorldError {
    WorldError::Value { location: location.clone(), name, value, expected }
}
