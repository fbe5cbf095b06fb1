//! Which nodes decode, sense and are disturbed by which others.

use std::collections::HashSet;

use crate::index::{Id, IndexVec, NodeId};
use crate::units::Nanos;
use crate::world::{Graph, Hearing, LinkMedium, Location, NodeSpec, Range, World, WorldError};

use super::names::Names;

/// Most relations between nodes that are kept.
const MAX_RELATIONS: usize = 4_000_000;

/// How a node's frames reach another node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// The other node.
    pub by: NodeId,
    /// It can decode them.
    pub decodes: bool,
    /// It senses them.
    pub senses: bool,
    /// Received power in any linear unit; no number where it is unknown.
    pub power: f64,
}

/// For every node, the nodes that its frames reach: all of them are disturbed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audibility {
    heard: IndexVec<NodeId, Vec<Heard>>,
    capture_ratio: Option<f64>,
}

impl Audibility {
    /// Resolves relations, declared at a location, as they are at an instant.
    pub(super) fn new(
        world: &World,
        names: &Names,
        (hearing, location): (&Hearing, &Location),
        now: Nanos,
    ) -> Result<Self, WorldError> {
        match hearing {
            Hearing::Everyone => everyone(&radios(world)),
            Hearing::Graph(graph) => from_graph(world.nodes.len(), names, graph, &location.key("graph")),
            Hearing::Range(range) => from_range(&world.nodes, &radios(world), range, now),
        }
    }

    /// How many relations there are.
    pub(super) fn len(&self) -> usize {
        self.heard.iter().map(Vec::len).sum()
    }

    /// The nodes that a node's frames reach.
    #[must_use]
    pub fn of(&self, node: NodeId) -> &[Heard] {
        self.heard.get(node).map_or(&[], Vec::as_slice)
    }

    /// Whether `to` decodes frames of `from`.
    #[must_use]
    pub fn decodes(&self, from: NodeId, to: NodeId) -> bool {
        self.of(from).iter().any(|heard| heard.by == to && heard.decodes)
    }

    /// Whether a frame received at one power survives another at the same time.
    #[must_use]
    pub fn survives(&self, power: f64, other: f64) -> bool {
        self.capture_ratio.is_some_and(|ratio| power >= ratio * other)
    }
}

/// How nodes move, and what follows for hearing.
#[derive(Clone, Debug)]
pub struct Mobility {
    nodes: Vec<NodeSpec>,
    radios: Vec<bool>,
    range: Range,
}

impl Mobility {
    /// The movements of a world; `None` if nothing moves or positions do not matter.
    pub(super) fn new(world: &World) -> Option<Self> {
        let moves = world.nodes.iter().any(|node| !node.waypoints.is_empty());
        match &world.hearing {
            Hearing::Range(range) if moves => {
                Some(Self { nodes: world.nodes.clone(), radios: radios(world), range: *range })
            }
            _ => None,
        }
    }

    /// Hearing at an instant; `None`: too many relations.
    #[must_use]
    pub fn audibility_at(&self, now: Nanos) -> Option<Audibility> {
        from_range(&self.nodes, &self.radios, &self.range, now).ok()
    }
}

/// Instants at which hearing is recomputed from positions.
pub(super) fn instants(world: &World) -> Vec<Nanos> {
    let last = world.nodes.iter().filter_map(|node| node.waypoints.last()).map(|point| point.at_ns).max();
    match (&world.hearing, last) {
        (Hearing::Range(range), Some(last)) => {
            let last = last.min(world.duration_ns);
            (1..=last.div_ceil(range.update_ns)).map(|step| step * range.update_ns).collect()
        }
        _ => Vec::new(),
    }
}

/// Which nodes have a radio: those of wireless links.
fn radios(world: &World) -> Vec<bool> {
    let wireless = world.links.iter().filter(|link| matches!(link.medium, LinkMedium::Wireless(_)));
    let ends: HashSet<&str> = wireless.flat_map(|link| [link.from.as_str(), link.to.as_str()]).collect();
    world.nodes.iter().map(|node| ends.contains(node.name.as_str())).collect()
}

fn everyone(radios: &[bool]) -> Result<Audibility, WorldError> {
    let count = radios.iter().filter(|&&radio| radio).count();
    check_size(count * count.saturating_sub(1))?;
    let with_radio = || (0..radios.len()).filter(|&node| radios[node]).map(NodeId::from_index);
    let mut heard = IndexVec::from(vec![Vec::new(); radios.len()]);
    for from in with_radio() {
        let others = with_radio().filter(|&by| by != from);
        heard[from] = others.map(|by| Heard { by, decodes: true, senses: true, power: f64::NAN }).collect();
    }
    Ok(Audibility { heard, capture_ratio: None })
}

fn from_graph(nodes: usize, names: &Names, graph: &Graph, location: &Location) -> Result<Audibility, WorldError> {
    check_size(graph.decodes.len() + graph.senses.len() + graph.corrupts.len())?;
    let capture_ratio = graph.capture_db.map(linear);
    let mut audibility = Audibility { heard: IndexVec::from(vec![Vec::new(); nodes]), capture_ratio };
    let relations = [
        ("decodes", &graph.decodes, true, true),
        ("senses", &graph.senses, false, true),
        ("corrupts", &graph.corrupts, false, false),
    ];
    for (key, pairs, decodes, senses) in relations {
        for (index, (from, by)) in pairs.iter().enumerate() {
            let location = || location.key(key).index(index);
            let from = names.node(from, || location().index(0))?;
            let by = names.node(by, || location().index(1))?;
            let ways = [(from, by), (by, from)];
            for &(from, by) in ways.iter().take(if graph.symmetric { 2 } else { 1 }).filter(|(from, by)| from != by) {
                audibility.heard[from].push(Heard { by, decodes, senses, power: f64::NAN });
            }
        }
    }
    audibility.heard.iter_mut().for_each(merge);
    for (index, received) in graph.powers.iter().enumerate() {
        let location = || location.key("powers").index(index).described_as("received powers");
        let from = names.node(&received.from, || location().key("from"))?;
        let to = names.node(&received.to, || location().key("to"))?;
        let list = &mut audibility.heard[from];
        if let Ok(index) = list.binary_search_by_key(&to, |heard| heard.by) {
            list[index].power = linear(received.dbm);
        }
    }
    Ok(audibility)
}

fn from_range(nodes: &[NodeSpec], radios: &[bool], range: &Range, now: Nanos) -> Result<Audibility, WorldError> {
    let with_radio = nodes.iter().zip(radios).enumerate().filter(|(_, (_, &radio))| radio);
    let positions = with_radio.map(|(index, (node, _))| Ok((NodeId::from_index(index), position(index, node, now)?)));
    let positions = positions.collect::<Result<Vec<_>, WorldError>>()?;
    let sense = range.sense_m.unwrap_or(range.decode_m);
    let furthest = range.corrupt_m.unwrap_or(sense);
    let mut heard = IndexVec::from(vec![Vec::new(); nodes.len()]);
    let mut total = 0;
    for &(from, here) in &positions {
        for &(by, there) in positions.iter().filter(|(by, _)| *by != from) {
            let (dx, dy) = (here[0] - there[0], here[1] - there[1]);
            let squared = dx * dx + dy * dy;
            if squared <= furthest * furthest {
                heard[from].push(Heard {
                    by,
                    decodes: squared <= range.decode_m * range.decode_m,
                    senses: squared <= sense * sense,
                    power: 1.0 / (squared * squared).max(1.0),
                });
            }
        }
        total += heard[from].len();
        check_size(total)?;
    }
    Ok(Audibility { heard, capture_ratio: range.capture_db.map(linear) })
}

/// Merges the declarations of each listener, in order of listeners.
fn merge(list: &mut Vec<Heard>) {
    list.sort_by_key(|heard| heard.by);
    list.dedup_by(|later, first| {
        let same = later.by == first.by;
        if same {
            first.decodes |= later.decodes;
            first.senses |= later.senses;
        }
        same
    });
}

/// Where a node is.
fn position(index: usize, node: &NodeSpec, now: Nanos) -> Result<[f64; 2], WorldError> {
    let after = node.waypoints.partition_point(|point| point.at_ns <= now);
    let start = node.position_m.map(|position_m| crate::world::Waypoint { at_ns: 0, position_m });
    let before = after.checked_sub(1).map(|index| node.waypoints[index]).or(start);
    match (before, node.waypoints.get(after)) {
        (Some(before), Some(next)) => {
            let share = (now - before.at_ns.min(now)) as f64 / (next.at_ns - before.at_ns) as f64;
            let along =
                |axis: usize| before.position_m[axis] + share * (next.position_m[axis] - before.position_m[axis]);
            Ok([along(0), along(1)])
        }
        (Some(only), None) => Ok(only.position_m),
        (None, Some(next)) => Ok(next.position_m),
        (None, None) => Err(WorldError::Value {
            location: Location::new(format!("node {:?}", node.name), "nodes").index(index),
            name: "position_m",
            value: "missing".to_owned(),
            expected: "given, because hearing follows from distance",
        }),
    }
}

/// A ratio in decibels as a factor.
pub(crate) fn linear(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

pub(super) fn check_size(relations: usize) -> Result<(), WorldError> {
    if relations > MAX_RELATIONS {
        let (count, limit) = (relations as u64, MAX_RELATIONS as u64);
        let location = Location::new("", "hearing");
        return Err(WorldError::TooLarge { what: "relations of hearing", count, limit, location });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SECOND;
    use crate::world::Waypoint;

    #[test]
    fn a_node_that_moves_is_on_the_line_between_its_waypoints() {
        let mut node = NodeSpec::at("a", 0.0, 0.0);
        node.waypoints.push(Waypoint { at_ns: 10 * SECOND, position_m: [100.0, 50.0] });
        assert_eq!(position(0, &node, 5 * SECOND).unwrap(), [50.0, 25.0]);
        assert_eq!(position(0, &node, 20 * SECOND).unwrap(), [100.0, 50.0]);
    }

    #[test]
    fn ranges_may_differ() {
        let nodes = [NodeSpec::at("a", 0.0, 0.0), NodeSpec::at("b", 200.0, 0.0), NodeSpec::at("c", 500.0, 0.0)];
        let range = Range { sense_m: Some(550.0), ..Range::new(250.0) };
        let audibility = from_range(&nodes, &[true; 3], &range, 0).unwrap();
        assert!(audibility.decodes(NodeId(0), NodeId(1)) && !audibility.decodes(NodeId(0), NodeId(2)));
        assert!(audibility.of(NodeId(0)).iter().all(|heard| heard.senses));
        assert!(!audibility.survives(1.0, 0.01));
    }

    #[test]
    fn ten_decibels_are_a_factor_of_ten() {
        let audibility = Audibility { heard: IndexVec::default(), capture_ratio: Some(linear(10.0)) };
        assert!(audibility.survives(10.01, 1.0) && !audibility.survives(9.99, 1.0));
        assert!(!audibility.survives(10.0, f64::NAN));
    }
}
