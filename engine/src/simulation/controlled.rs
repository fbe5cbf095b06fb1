//! Which flows are under control.

use crate::controller::Controller;
use crate::world::FlowSpec;

/// The controller of a flow, if it has one.
pub(super) fn controller_of<'a>(spec: &FlowSpec, controllers: &'a [Box<dyn Controller>]) -> Option<&'a dyn Controller> {
    match spec.controller {
        Some(index) => controllers.get(index).map(AsRef::as_ref),
        None if spec.ack_bytes == 0 => None,
        None => controllers.first().map(AsRef::as_ref),
    }
}
