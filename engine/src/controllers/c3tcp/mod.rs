//! C3TCP: Kliazovich, Granelli, "Cross-Layer Congestion Control in Ad hoc Wireless Networks" (S001).
//!
//! Every hop measures what bandwidth its link gave a frame and how long that took, the frames carry the least
//! bandwidth and the sum of delays along the path, the destination returns them with its acknowledgements, and the
//! source's receive window is cut to their product. TCP itself is NewReno and knows nothing of it: [`source`] lowers
//! the window as the paper's module at the source rewrites RWND.

use serde::{Deserialize, Serialize};

use super::new_reno::NewRenoConfig;
use super::settings::{self, Settings};
use crate::controller::{Controller, Endpoint, FlowSetup, MacSetup, Mode, NodeSetup, Octets, Receiver, Router};
use router::{HopRouter, Transmission};
use source::{Destination, Source, Steering};

pub mod option;
mod router;
mod source;
mod support;
mod window_field;

/// Constants of C3TCP. `null` stands for what the mode says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct C3tcpConfig {
    /// Whether the transmission time contains a DIFS although the access delay already does (eq. 3). `paper`: yes,
    /// `corrected`: no.
    pub counts_difs: Option<bool>,
    /// Whether acknowledgement frames are taken at the data rate (eq. 5) rather than at the rate they are sent.
    /// `paper`: yes, `corrected`: no.
    pub ack_at_data_rate: Option<bool>,
    /// Weight of a new measurement at the source. `paper`: 1, each packet's own; `corrected`: 1/8.
    pub gain: Option<f64>,
    /// SIFS of the acknowledgement at the data rate, seconds; none: that of the PHY, which in 802.11b is that of Table 1.
    pub sifs_s: Option<f64>,
    /// Preamble and PLCP header of the acknowledgement at the data rate, seconds; none: likewise.
    pub plcp_s: Option<f64>,
    /// Length of the acknowledgement at the data rate, bytes.
    pub ack_bytes: f64,
    /// How the module at the source steers TCP.
    pub steering: Steering,
    /// Power of two of the octets that the window field counts, 0 to 14 (RFC 7323, sec. 2.3), where `steering` writes there.
    pub window_scale: u8,
    /// Nodes without support.
    pub legacy: Legacy,
    /// TCP below.
    pub new_reno: NewRenoConfig,
}

/// Nodes that do not know frames with options, which drop them (S001 sec. 4.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Legacy {
    /// Their places among the nodes of the world, from 0. Frames to them count with the octets of options all the same.
    pub without_support: Vec<u32>,
    /// Whether route discovery tells who has support, so that no frame is dropped to find out.
    pub told_by_routing: bool,
    /// Whether a bit of the routing messages tells it, in worlds whose nodes run a routing protocol: a neighbour gets
    /// standard frames until one of its messages with the bit has come.
    pub told_by_messages: bool,
    /// Seconds from a frame that was dropped to the next try with options; S001 says "periodically".
    pub try_again_s: f64,
}

impl Default for Legacy {
    fn default() -> Self {
        Self { without_support: Vec::new(), told_by_routing: false, told_by_messages: false, try_again_s: 10.0 }
    }
}

impl Default for C3tcpConfig {
    fn default() -> Self {
        Self {
            counts_difs: None,
            ack_at_data_rate: None,
            gain: None,
            sifs_s: None,
            plcp_s: None,
            ack_bytes: 14.0,
            steering: Steering::default(),
            window_scale: 0,
            legacy: Legacy::default(),
            new_reno: NewRenoConfig::default(),
        }
    }
}

impl Settings for C3tcpConfig {
    fn check(&self) -> Result<(), String> {
        let or_none = |span: Option<f64>| span.unwrap_or(0.0);
        let spans = [("sifs_s", or_none(self.sifs_s)), ("plcp_s", or_none(self.plcp_s))];
        settings::not_negative(&spans)?;
        settings::not_negative(&[("ack_bytes", self.ack_bytes)])?;
        settings::positive(&[("try_again_s", self.legacy.try_again_s)])?;
        if self.window_scale > 14 {
            return Err(format!("window_scale must be at most 14, not {}", self.window_scale));
        }
        self.new_reno.check()?;
        match self.gain {
            Some(gain) if !(gain > 0.0 && gain <= 1.0) => {
                Err(format!("gain must lie above 0 and be at most 1, not {gain}"))
            }
            _ => Ok(()),
        }
    }
}

/// C3TCP.
#[derive(Clone, Debug)]
pub struct C3tcp {
    mode: Mode,
    config: C3tcpConfig,
}

impl C3tcp {
    /// `settings`: a JSON object with fields of [`C3tcpConfig`].
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(mode: Mode, settings: &serde_json::Value) -> Result<Self, String> {
        Ok(Self { mode, config: settings::read(settings)? })
    }

    fn literal(&self) -> bool {
        self.mode != Mode::Corrected
    }

    /// At a node with this MAC; without one, Table 1.
    fn transmission(&self, mac: Option<&MacSetup>) -> Transmission {
        let of_phy = |set: Option<f64>, of: fn(&MacSetup) -> f64| set.or(mac.map(of));
        Transmission {
            counts_difs: self.config.counts_difs.unwrap_or(self.literal()),
            ack_at_data_rate: self.config.ack_at_data_rate.unwrap_or(self.literal()),
            sifs_s: of_phy(self.config.sifs_s, |mac| mac.sifs_s).unwrap_or(10e-6),
            plcp_s: of_phy(self.config.plcp_s, |mac| mac.plcp_s).unwrap_or(192e-6),
            ack_bits: 8.0 * self.config.ack_bytes,
        }
    }
}

impl Controller for C3tcp {
    fn name(&self) -> &str {
        "c3tcp"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        let gain = self.config.gain.unwrap_or(if self.literal() { 1.0 } else { 1.0 / 8.0 });
        let source = Source::new(self.config.new_reno, gain, self.config.steering, flow);
        Box::new(source.with_window_scale(self.config.window_scale))
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Destination)
    }

    fn octets(&self) -> Octets {
        let (data_option, ack_option) = option::OCTETS;
        Octets { data_option, ack_option, ..Octets::default() }
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        Some(Box::new(HopRouter::new(self.transmission(node.mac.as_ref()), &self.config.legacy, node)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Ack;

    #[test]
    fn each_packets_measurement_counts_in_paper_and_an_eighth_of_it_otherwise() {
        use crate::controllers::test_flow::{acknowledged, setup, view};
        use crate::packet::{C3tcpHeader, Header};
        let measured = |bandwidth_bps| {
            let header = C3tcpHeader { bandwidth_bps, forward_delay_s: 0.008, backward_delay_s: 0.0, measured: true };
            Ack { header: Header::C3tcp(header), ..acknowledged(0, None) }
        };
        // 1 Mbit/s for 8 ms is a segment of 1000 bytes; then 9 Mbit/s.
        for (mode, segments) in [(Mode::Paper, 9.0), (Mode::Corrected, 2.0)] {
            let controller = C3tcp::new(mode, &serde_json::Value::Null).expect("defaults");
            let mut source = controller.endpoint(&setup(20));
            source.on_ack(0, &view(0), &measured(1e6));
            source.on_ack(0, &view(0), &measured(9e6));
            assert_eq!(source.window_bytes(), segments * 1000.0);
        }
    }

    /// S001 eq. (3) to (5) and table 1 in `paper`: with DIFS, and the ACK at the data rate after 10 us of SIFS and 192 us of
    /// PLCP. `corrected` takes off the DIFS and has the ACK at the rate it is sent.
    #[test]
    fn the_printed_form_is_the_one_of_paper_mode() {
        let transmission = |mode| C3tcp::new(mode, &serde_json::Value::Null).expect("defaults").transmission(None);
        let printed =
            Transmission { counts_difs: true, ack_at_data_rate: true, sifs_s: 10e-6, plcp_s: 192e-6, ack_bits: 112.0 };
        assert_eq!(transmission(Mode::Paper), printed);
        let corrected = transmission(Mode::Corrected);
        assert_eq!((corrected.counts_difs, corrected.ack_at_data_rate), (false, false));
    }

    /// 802.11a: SIFS of 16 us, and 20 us of preamble and SIGNAL; a setting stands before what the PHY has.
    #[test]
    fn the_printed_form_takes_its_times_from_the_phy() {
        use crate::controllers::wcp_cap::achievable::tests::mac;
        let ofdm = MacSetup { sifs_s: 16e-6, plcp_s: 20e-6, ..mac(0) };
        let times = |settings: serde_json::Value| {
            let c3tcp = C3tcp::new(Mode::Paper, &settings).expect("settings");
            let found = c3tcp.transmission(Some(&ofdm));
            (found.sifs_s, found.plcp_s)
        };
        assert_eq!(times(serde_json::Value::Null), (16e-6, 20e-6));
        assert_eq!(times(serde_json::json!({ "plcp_s": 96e-6 })), (16e-6, 96e-6));
    }
}
