//! One run as a document: a world, its controllers, and a seed.

use serde::{Deserialize, Serialize};

use crate::controller::{Controller, Mode};
use crate::controllers::{self, ControllerError};
use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::world::{World, WorldError};

/// What to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The world.
    pub world: World,
    /// Controllers that its flows name by index; the first is that of flows that name none.
    #[serde(default)]
    pub controllers: Vec<Choice>,
    /// The seed.
    #[serde(default)]
    pub seed: u64,
}

/// A controller of the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Its reading of the paper; by default the last one that it has, which is the most corrected.
    #[serde(default)]
    pub mode: Option<String>,
    /// Constants that replace the defaults.
    #[serde(default)]
    pub settings: serde_json::Value,
}

/// Why a request could not be run.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum RequestError {
    /// The world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A controller.
    #[error(transparent)]
    Controller(#[from] ControllerError),
}

impl Request {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// A controller does not exist or its settings do not fit, or the world cannot be run.
    pub fn run(&self) -> Result<Outcome, RequestError> {
        let controllers = self.controllers.iter().map(Choice::make).collect::<Result<Vec<_>, _>>()?;
        Ok(Simulation::new(&self.world, &controllers, self.seed)?.run())
    }
}

impl Choice {
    /// The controller of that name with its defaults.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), mode: None, settings: serde_json::Value::Null }
    }

    fn make(&self) -> Result<Box<dyn Controller>, ControllerError> {
        let row = controllers::CONTROLLERS.iter().find(|row| row.name == self.name);
        let modes = row.map_or(&[][..], |row| row.modes);
        let mode = match &self.mode {
            None => modes.last().copied().unwrap_or(Mode::Corrected),
            Some(name) => modes.iter().copied().find(|mode| mode.name() == name).ok_or_else(|| {
                let known: Vec<_> = modes.iter().map(|mode| mode.name()).collect();
                ControllerError::UnknownMode(self.name.clone(), name.clone(), known.join(", "))
            })?,
        };
        let settings = match &self.settings {
            serde_json::Value::Null => serde_json::Value::Object(serde_json::Map::new()),
            given => given.clone(),
        };
        controllers::make(&self.name, mode, &settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SECOND;

    const PAIR: &str = r#"{
        "world": {
            "duration_ns": 5000000000,
            "nodes": [{"name": "a"}, {"name": "b"}],
            "links": [{"from": "a", "to": "b", "duplex": true, "medium": {"wireless": {"rate_bps": 11000000}}}],
            "flows": [{"name": "f", "path": ["a", "b"]}]
        },
        "controllers": [{"name": "new_reno"}],
        "seed": 7
    }"#;

    #[test]
    fn a_document_is_run() {
        let request: Request = serde_json::from_str(PAIR).unwrap();
        let outcome = request.run().unwrap();
        assert_eq!(outcome.duration, 5 * SECOND);
        assert!(outcome.conservation.holds());
        assert!(outcome.flows.throughput_bps[0] > 2e6, "{:?}", outcome.flows);
        assert_eq!(outcome, request.run().unwrap());
    }

    #[test]
    fn unknown_controllers_are_errors() {
        let mut request: Request = serde_json::from_str(PAIR).unwrap();
        request.controllers[0].mode = Some("optimistic".to_owned());
        let error = request.run().unwrap_err().to_string();
        assert!(error.contains("optimistic"), "{error}");
        request.controllers[0] = Choice::new("carrier_pigeon");
        assert!(request.run().is_err());
    }
}
