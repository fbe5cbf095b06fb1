//! The controllers: one file or folder each, one row of [`CONTROLLERS`].

use crate::controller::{Controller, Mode};

mod agenda;
pub mod bbr;
pub mod c3tcp;
pub mod capacity;
pub mod collisions;
pub mod constant_rate;
pub mod cubic;
pub mod end_to_end;
pub mod interfaces;
pub mod new_reno;
pub mod rcp;
pub mod rcp_winf;
pub mod settings;
#[cfg(test)]
pub(crate) mod test_flow;
pub mod vegas;
pub mod wcp;
pub mod wcp_cap;
pub mod westwood;
pub mod window;
pub mod xcp;
pub mod xcp_b;
pub mod xcp_winf;

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
    /// Its file or folder beside this one.
    pub module: &'static str,
    /// Its constructor.
    pub make: Make,
}

/// Every controller.
pub const CONTROLLERS: &[Row] = &[
    Row {
        name: "xcp",
        description: "Explicit control protocol: routers grant changes of the window",
        source: "Katabi, Handley, Rohrs, SIGCOMM 2002; draft-falk-xcp-spec",
        modes: PAPER_AND_CORRECTED,
        module: "xcp",
        make: |mode, settings| Ok(Box::new(xcp::Xcp::new(mode, settings::read(settings)?))),
    },
    Row {
        name: "xcp_b",
        description: "XCP that reads the spare bandwidth from its queue; windows also react to losses",
        source: "Abrantes and Ricardo, Q2SWinet 2007",
        modes: PAPER_AND_CORRECTED,
        module: "xcp_b",
        make: |mode, settings| Ok(Box::new(xcp_b::XcpB::new("xcp_b", mode, settings::read(settings)?))),
    },
    Row {
        name: "xcp_b_nl",
        description: "XCP-b whose windows follow the routers only, not losses",
        source: "Abrantes and Ricardo, Q2SWinet 2007, sec. 5.3",
        modes: PAPER_AND_CORRECTED,
        module: "xcp_b",
        make: |mode, settings| {
            let mut config: xcp_b::XcpBConfig = settings::read(settings)?;
            config.host.react_to_losses = false;
            Ok(Box::new(xcp_b::XcpB::new("xcp_b_nl", mode, config)))
        },
    },
    Row {
        name: "xcp_winf",
        description: "XCP that takes capacity and available bandwidth from rt-Winf",
        source: "Barreto, XCP-Winf and RCP-Winf, sec. 4.1",
        modes: &[Mode::Paper, Mode::PaperGreedy, Mode::Corrected],
        module: "xcp_winf",
        make: |mode, settings| Ok(Box::new(xcp_winf::XcpWinf::new(mode, settings::read(settings)?))),
    },
    Row {
        name: "rcp",
        description: "Rate control protocol: every link offers one rate to all flows",
        source: "Dukkipati and McKeown, 2006; ns-2; NetFPGA",
        modes: PAPER_AND_CORRECTED,
        module: "rcp",
        make: |mode, settings| Ok(Box::new(rcp::Rcp::new(mode, settings::read(settings)?))),
    },
    Row {
        name: "rcp_winf",
        description: "RCP that takes capacity and available bandwidth from rt-Winf",
        source: "Barreto, XCP-Winf and RCP-Winf, sec. 4.2",
        modes: PAPER_AND_CORRECTED,
        module: "rcp_winf",
        make: |mode, settings| Ok(Box::new(rcp_winf::RcpWinf::new(mode, settings::read(settings)?))),
    },
    Row {
        name: "wcp",
        description: "AIMD rates; congestion and round-trip times shared over neighbourhoods",
        source: "Rangwala, Jindal, Jang, Psounis, Govindan: Neighborhood-Centric Congestion Control, sec. III-A",
        modes: PAPER_AND_CORRECTED,
        module: "wcp",
        make: |mode, settings| Ok(Box::new(wcp::Wcp::new(mode, settings)?)),
    },
    Row {
        name: "wcp_cap",
        description: "explicit rates from a model of the capacity left in each neighbourhood",
        source: "Rangwala, Jindal, Jang, Psounis, Govindan: Neighborhood-Centric Congestion Control, sec. III-B",
        modes: &[Mode::Corrected],
        module: "wcp_cap",
        make: |mode, settings| Ok(Box::new(wcp_cap::WcpCap::new(mode, settings)?)),
    },
    Row {
        name: "c3tcp",
        description: "TCP under a window of bandwidth times delay, measured by every hop's MAC",
        source: "Kliazovich and Granelli, Cross-Layer Congestion Control in Ad hoc Wireless Networks",
        modes: &[Mode::Paper, Mode::Corrected],
        module: "c3tcp",
        make: |mode, settings| Ok(Box::new(c3tcp::C3tcp::new(mode, settings)?)),
    },
    Row {
        name: "new_reno",
        description: "TCP that halves its window at losses and marks",
        source: "RFC 5681, RFC 6582, RFC 6675, RFC 3168",
        modes: &[Mode::Corrected],
        module: "new_reno.rs",
        make: |_, settings| Ok(Box::new(new_reno::new_reno(settings)?)),
    },
    Row {
        name: "cubic",
        description: "TCP whose window is a cubic function of the time since the last loss",
        source: "RFC 9438, RFC 3168",
        modes: &[Mode::Corrected],
        module: "cubic/mod.rs",
        make: |_, settings| Ok(Box::new(cubic::cubic(settings)?)),
    },
    Row {
        name: "bbr",
        description: "TCP that paces by the largest delivery rate and the least round-trip time (version 1)",
        source: "Cardwell et al., CACM 2017; draft-cardwell-iccrg-bbr-congestion-control-00",
        modes: &[Mode::Corrected],
        module: "bbr",
        make: |_, settings| Ok(Box::new(bbr::bbr(settings)?)),
    },
    Row {
        name: "vegas",
        description: "TCP that keeps 1 to 3 segments in queues, told by round-trip times",
        source: "Brakmo and Peterson, JSAC 1995; ns-2",
        modes: &[Mode::Corrected],
        module: "vegas.rs",
        make: |_, settings| Ok(Box::new(vegas::vegas("vegas", vegas::VegasConfig::default(), settings)?)),
    },
    Row {
        name: "vegas_linux",
        description: "Vegas as Linux and ns-3 have it: 2 to 4 segments in queues instead of 1 to 3",
        source: "Brakmo and Peterson, JSAC 1995; Linux, ns-3",
        modes: &[Mode::Corrected],
        module: "vegas.rs",
        make: |_, settings| Ok(Box::new(vegas::vegas("vegas_linux", vegas::VegasConfig::linux(), settings)?)),
    },
    Row {
        name: "westwood",
        description: "TCP that goes on with the bandwidth it measured after a loss",
        source: "Mascolo et al., MobiCom 2001; Grieco and Mascolo, CCR 2004 (Westwood+)",
        modes: &[Mode::Corrected],
        module: "westwood",
        make: |_, settings| Ok(Box::new(westwood::westwood(settings)?)),
    },
    Row {
        name: "cbr",
        description: "datagrams at a fixed rate, whatever the network does",
        source: "UDP",
        modes: &[Mode::Corrected],
        module: "constant_rate.rs",
        make: |_, settings| Ok(Box::new(constant_rate::Cbr::new(settings)?)),
    },
    Row {
        name: "voip",
        description: "G.711 voice over RTP, whatever the network does",
        source: "ITU-T G.711, RFC 3551",
        modes: &[Mode::Corrected],
        module: "constant_rate.rs",
        make: |_, settings| Ok(Box::new(constant_rate::Voip::new(settings)?)),
    },
];

const PAPER_AND_CORRECTED: &[Mode] = &[Mode::Paper, Mode::Corrected];

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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    #[test]
    fn every_row_makes_every_mode_it_lists() {
        for row in CONTROLLERS {
            for &mode in row.modes {
                let made = make(row.name, mode, &json!({})).expect("defaults make a controller");
                assert_eq!((made.name(), made.mode()), (row.name, mode));
            }
        }
    }

    #[test]
    fn errors_name_what_there_is() {
        let unknown = make("nothing", Mode::Paper, &Value::Null).err().map(|error| error.to_string());
        assert!(unknown.is_some_and(|text| text.contains("xcp_winf")));
        let mode = make("xcp", Mode::PaperGreedy, &Value::Null).err().map(|error| error.to_string());
        assert!(mode.is_some_and(|text| text.contains("paper, corrected")));
        let settings = make("rcp", Mode::Corrected, &json!({"alhpa": 0.1})).err().map(|error| error.to_string());
        assert!(settings.is_some_and(|text| text.contains("alhpa")));
        let zero = json!({"router": {"initial_interval_s": 0.0}});
        let zero = make("xcp", Mode::Corrected, &zero).err().map(|error| error.to_string());
        assert!(zero.is_some_and(|text| text.contains("initial_interval_s must be")));
    }
}
