//! The endpoint of flows without congestion control, as with UDP.

use crate::controller::{Ack, Echo, Endpoint, FlowView, Receiver};
use crate::units::Nanos;

/// No congestion control: an infinite window.
pub(super) struct Uncontrolled;

impl Uncontrolled {
    /// The two ends of a flow.
    pub(super) fn ends() -> (Box<dyn Endpoint>, Box<dyn Receiver>) {
        (Box::new(Uncontrolled), Box::new(Echo))
    }
}

impl Endpoint for Uncontrolled {
    fn on_ack(&mut self, _now: Nanos, _flow: &FlowView, _ack: &Ack) {}

    fn window_bytes(&self) -> f64 {
        f64::INFINITY
    }
}
