//! The routing protocol of a run.

use std::sync::Arc;

use crate::index::{IndexVec, NodeId};
use crate::units::Nanos;
use crate::world::{Dsdv, Location, Routing, World, WorldError};

use super::check;
use super::links::RadioPlan;
use super::names::Names;

/// The routing protocol, with its names resolved.
#[derive(Clone, Debug)]
pub struct RoutingPlan {
    /// Its constants.
    pub dsdv: Arc<Dsdv>,
    /// Conditions of its broadcasts.
    pub radio: RadioPlan,
    /// When each node is out of service.
    outages: IndexVec<NodeId, Vec<(Nanos, Nanos)>>,
}

impl RoutingPlan {
    pub(super) fn new(world: &World, names: &Names) -> Result<Option<Self>, WorldError> {
        let Some(Routing::Dsdv(dsdv)) = &world.routing else { return Ok(None) };
        let location = location();
        check::dsdv(&location, dsdv)?;
        let mut outages: IndexVec<NodeId, Vec<_>> = world.nodes.iter().map(|_| Vec::new()).collect();
        for (index, outage) in dsdv.outages.iter().enumerate() {
            let node = names.node(&outage.node, || location.key("outages").index(index).key("node"))?;
            outages[node].push((outage.from_ns, outage.until_ns));
        }
        let rate_bps = dsdv.rate_bps.unwrap_or(world.mac.control_rate_bps);
        Ok(Some(Self { dsdv: Arc::new(dsdv.clone()), radio: RadioPlan::broadcast(rate_bps, &world.mac), outages }))
    }

    /// Whether a node is out of service.
    #[must_use]
    pub fn is_out(&self, node: NodeId, now: Nanos) -> bool {
        self.outages.get(node).is_some_and(|outages| outages.iter().any(|&(from, until)| (from..until).contains(&now)))
    }
}

/// Where it is declared.
fn location() -> Location {
    Location::new("routing", "routing").key("dsdv")
}
