//! Names of nodes, and the indices they stand for.

use std::collections::HashMap;

use crate::index::NodeId;
use crate::world::{Location, World, WorldError};

/// Index of the nodes' names.
pub(super) struct Names<'a>(HashMap<&'a str, NodeId>);

impl<'a> Names<'a> {
    /// Indexes a world's nodes.
    pub(super) fn new(world: &'a World) -> Result<Self, WorldError> {
        let mut names = HashMap::with_capacity(world.nodes.len());
        for (index, node) in world.nodes.iter().enumerate() {
            if names.insert(node.name.as_str(), NodeId(index as u32)).is_some() {
                let location = Location::new("", "nodes").index(index);
                return Err(WorldError::Duplicate { what: "nodes", name: node.name.clone(), location });
            }
        }
        Ok(Self(names))
    }

    /// The node of that name; `location` says where it was named.
    pub(super) fn node(&self, name: &str, location: impl FnOnce() -> Location) -> Result<NodeId, WorldError> {
        self.0.get(name).copied().ok_or_else(|| WorldError::UnknownNode { location: location(), name: name.to_owned() })
    }

    /// The name of a node.
    pub(super) fn name(&self, node: NodeId) -> String {
        let found = self.0.iter().find(|(_, &id)| id == node);
        found.map(|(name, _)| (*name).to_owned()).unwrap_or_default()
    }
}
