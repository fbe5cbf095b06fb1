//! Names of nodes, and the indices they stand for.

use std::collections::HashMap;

use crate::packet::NodeId;
use crate::world::{Place, World, WorldError};

/// Index of the nodes' names.
pub(super) struct Names<'a>(HashMap<&'a str, NodeId>);

impl<'a> Names<'a> {
    /// Indexes a world's nodes.
    pub(super) fn new(world: &'a World) -> Result<Self, WorldError> {
        let mut names = HashMap::with_capacity(world.nodes.len());
        for (index, node) in world.nodes.iter().enumerate() {
            if names.insert(node.name.as_str(), NodeId(index as u32)).is_some() {
                let place = Place::new("", "nodes").index(index);
                return Err(WorldError::Duplicate { what: "nodes", name: node.name.clone(), place });
            }
        }
        Ok(Self(names))
    }

    /// The node of that name; `place` says where it was named.
    pub(super) fn node(&self, name: &str, place: impl FnOnce() -> Place) -> Result<NodeId, WorldError> {
        self.0.get(name).copied().ok_or_else(|| WorldError::UnknownNode { place: place(), name: name.to_owned() })
    }

    /// The name of a node.
    pub(super) fn name(&self, node: NodeId) -> String {
        let found = self.0.iter().find(|(_, &id)| id == node);
        found.map(|(name, _)| (*name).to_owned()).unwrap_or_default()
    }
}
