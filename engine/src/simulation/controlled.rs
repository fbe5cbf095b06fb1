//! Which flows are under control.

use crate::controller::{Controller, FlowSetup};
use crate::world::FlowSpec;

/// The controller of a flow, if it has one.
pub(super) fn controller_of<'a>(spec: &FlowSpec, controllers: &'a [Box<dyn Controller>]) -> Option<&'a dyn Controller> {
    match spec.controller {
        Some(index) => controllers.get(index).map(AsRef::as_ref),
        None if spec.ack_bytes == 0 => None,
        None => controllers.first().map(AsRef::as_ref),
    }
}

/// The controller of the run, if it makes datagrams: it then also drives a flow that has no acknowledgements and no
/// times of its own, which nothing else would ever make send.
pub(super) fn datagrams_of<'a>(
    spec: &FlowSpec,
    setup: &FlowSetup,
    controllers: &'a [Box<dyn Controller>],
) -> Option<&'a dyn Controller> {
    let first = controllers.first().filter(|_| spec.controller.is_none() && !spec.source.is_timed())?;
    first.endpoint(setup).datagrams().map(|_| first.as_ref())
}
