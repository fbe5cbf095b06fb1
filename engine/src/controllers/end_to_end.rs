//! Controllers that live at the source alone: constants, and the endpoint that each flow gets.

use serde::Serialize;
use serde_json::Value;

use super::settings::{self, Settings};
use crate::controller::{Controller, Endpoint, FlowSetup, Mode};

/// Makes the half of a controller at the source of a flow.
pub type MakeEndpoint<C> = fn(C, &FlowSetup) -> Box<dyn Endpoint>;

/// A controller of TCP that needs nothing from nodes and receivers.
#[derive(Clone, Copy, Debug)]
pub struct EndToEnd<C> {
    name: &'static str,
    config: C,
    endpoint: MakeEndpoint<C>,
}

impl<C: Settings + Serialize> EndToEnd<C> {
    /// `defaults`: the constants registered as `name`; `settings`: a JSON object with fields of `C` that replace some
    /// of them.
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(
        name: &'static str,
        defaults: &C,
        settings: &Value,
        endpoint: MakeEndpoint<C>,
    ) -> Result<EndToEnd<C>, String> {
        Ok(EndToEnd { name, config: settings::read_over(defaults, settings)?, endpoint })
    }

    /// Its constants.
    pub fn config(&self) -> &C {
        &self.config
    }
}

impl<C: Copy + Send + Sync> Controller for EndToEnd<C> {
    fn name(&self) -> &str {
        self.name
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        (self.endpoint)(self.config, flow)
    }
}
