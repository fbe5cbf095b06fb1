//! The controllers: one file or folder each, one row of [`CONTROLLERS`].

pub mod wcp;
pub mod wcp_cap;

use crate::controller::{Controller, Mode};

/// Why a controller could not be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ControllerError {
    /// No row of that name.
    #[error("no controller {0:?}; there are {1}")]
    UnknownName(String, String),
    /// The controller has no such reading.
    #[error("{0} has no mode {1:?}; it has {2}")]
    UnknownMode(String, String, String),
    /// A constant that does not exist, is of another type, or makes no sense.
    #[error("{0}: {1}")]
    Settings(String, String),
}

/// Makes a controller in one mode; `settings` is a JSON object of constants that replace the defaults.
pub type Make = fn(Mode, &serde_json::Value) -> Result<Box<dyn Controller>, String>;

/// A row of the registry.
#[derive(Clone, Copy)]
pub struct Row {
    /// Name, as users type it.
    pub name: &'static str,
    /// One line for `winf list controllers`.
    pub description: &'static str,
    /// Paper, RFC or draft.
    pub source: &'static str,
    /// Readings it has.
    pub modes: &'static [Mode],
    /// Its constructor.
    pub make: Make,
}

/// Every controller.
pub const CONTROLLERS: &[Row] = &[
    Row {
        name: "wcp",
        description: "AIMD rates; congestion and round-trip times shared over neighbourhoods",
        source: "Rangwala, Jindal, Jang, Psounis, Govindan: Neighborhood-Centric Congestion Control, sec. III-A",
        modes: &[Mode::Corrected],
        make: |mode, settings| Ok(Box::new(wcp::Wcp::new(mode, settings)?)),
    },
    Row {
        name: "wcp_cap",
        description: "explicit rates from a model of the capacity left in each neighbourhood",
        source: "Rangwala, Jindal, Jang, Psounis, Govindan: Neighborhood-Centric Congestion Control, sec. III-B",
        modes: &[Mode::Corrected],
        make: |mode, settings| Ok(Box::new(wcp_cap::WcpCap::new(mode, settings)?)),
    },
];

/// The controller of that name, in that mode.
///
/// # Errors
///
/// The name or mode does not exist, or the settings do not fit the controller's configuration.
pub fn make(name: &str, mode: Mode, settings: &serde_json::Value) -> Result<Box<dyn Controller>, ControllerError> {
    let row = CONTROLLERS.iter().find(|row| row.name == name).ok_or_else(|| {
        let names: Vec<_> = CONTROLLERS.iter().map(|row| row.name).collect();
        ControllerError::UnknownName(name.to_owned(), names.join(", "))
    })?;
    if !row.modes.contains(&mode) {
        let modes: Vec<_> = row.modes.iter().map(|mode| mode.name()).collect();
        return Err(ControllerError::UnknownMode(name.to_owned(), mode.name().to_owned(), modes.join(", ")));
    }
    (row.make)(mode, settings).map_err(|error| ControllerError::Settings(name.to_owned(), error))
}
