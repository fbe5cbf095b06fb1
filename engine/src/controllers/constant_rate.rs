//! Sources that react to nothing: datagrams at a fixed rate (CBR), and G.711 voice.

use serde::{Deserialize, Serialize};

use super::settings::{self, Settings};
use crate::controller::{Ack, Controller, Datagrams, Endpoint, FlowSetup, FlowView, Mode, Receiver};
use crate::cross_layer::CrossLayer;
use crate::packet::Packet;
use crate::plan::{RATES, RATES_IN_WORDS};
use crate::units::{nanos, Nanos, MILLISECOND};

/// IPv4 and UDP headers, bytes.
const UDP_HEADERS_BYTES: u32 = 28;
/// IPv4, UDP and RTP headers (RFC 3550), bytes.
const RTP_HEADERS_BYTES: u32 = 40;

/// Constants of a fixed-rate source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CbrConfig {
    /// Payload bits per second, 1 kbit/s to 1 Tbit/s; S000's light load by default.
    pub rate_bps: f64,
    /// Payload of a datagram, bytes; null: the flow's segment.
    pub payload_bytes: Option<u32>,
}

impl Default for CbrConfig {
    fn default() -> Self {
        Self { rate_bps: 64e3, payload_bytes: None }
    }
}

impl Settings for CbrConfig {
    fn check(&self) -> Result<(), String> {
        // Those of a source that the world declares: a packet every few nanoseconds would never end.
        if !(*RATES.start() as f64..=*RATES.end() as f64).contains(&self.rate_bps) {
            return Err(format!("rate_bps must be {RATES_IN_WORDS}, not {:e}", self.rate_bps));
        }
        match self.payload_bytes {
            Some(0) => Err("payload_bytes must be a number above 0, not 0".to_owned()),
            _ => Ok(()),
        }
    }
}

/// Constants of a G.711 source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VoipConfig {
    /// Speech in one packet, milliseconds (RFC 3551, sec. 4.2); G.711 makes 8 bytes of each.
    pub packet_ms: u32,
}

impl Default for VoipConfig {
    fn default() -> Self {
        Self { packet_ms: 20 }
    }
}

impl Settings for VoipConfig {
    fn check(&self) -> Result<(), String> {
        match self.packet_ms {
            1..=1000 => Ok(()),
            other => Err(format!("packet_ms must lie between 1 and 1000, not {other}")),
        }
    }
}

/// A fixed-rate source.
#[derive(Clone, Copy, Debug)]
pub struct Cbr {
    config: CbrConfig,
}

impl Cbr {
    /// `settings`: a JSON object with fields of [`CbrConfig`].
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(settings: &serde_json::Value) -> Result<Self, String> {
        Ok(Self { config: settings::read(settings)? })
    }
}

impl Controller for Cbr {
    fn name(&self) -> &str {
        "cbr"
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        Box::new(Fixed { datagrams: self.datagrams(flow) })
    }

    fn receiver(&self, flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Fixed { datagrams: self.datagrams(flow) })
    }
}

impl Cbr {
    fn datagrams(&self, flow: &FlowSetup) -> Datagrams {
        let payload_bytes = self.config.payload_bytes.unwrap_or(flow.mss_bytes).max(1);
        let interval = nanos(f64::from(payload_bytes) * 8.0 / self.config.rate_bps).max(1);
        Datagrams { payload_bytes, header_bytes: UDP_HEADERS_BYTES, interval }
    }
}

/// G.711 voice over RTP.
#[derive(Clone, Copy, Debug)]
pub struct Voip {
    config: VoipConfig,
}

impl Voip {
    /// `settings`: a JSON object with fields of [`VoipConfig`].
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(settings: &serde_json::Value) -> Result<Self, String> {
        Ok(Self { config: settings::read(settings)? })
    }
}

impl Controller for Voip {
    fn name(&self) -> &str {
        "voip"
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, _flow: &FlowSetup) -> Box<dyn Endpoint> {
        Box::new(Fixed { datagrams: self.datagrams() })
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Fixed { datagrams: self.datagrams() })
    }
}

impl Voip {
    fn datagrams(&self) -> Datagrams {
        const BYTES_PER_MS: u32 = 8;
        let packet_ms = self.config.packet_ms;
        Datagrams {
            payload_bytes: packet_ms * BYTES_PER_MS,
            header_bytes: RTP_HEADERS_BYTES,
            interval: Nanos::from(packet_ms) * MILLISECOND,
        }
    }
}

/// Either end: declares the datagrams.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    datagrams: Datagrams,
}

impl Endpoint for Fixed {
    fn on_ack(&mut self, _now: Nanos, _flow: &FlowView, _ack: &Ack) {}

    fn window_bytes(&self) -> f64 {
        f64::INFINITY
    }

    fn datagrams(&self) -> Option<Datagrams> {
        Some(self.datagrams)
    }
}

impl Receiver for Fixed {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, _packet: &Packet, _ack: &mut Packet) {}

    fn datagrams(&self) -> Option<Datagrams> {
        Some(self.datagrams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::test_flow::setup;
    use serde_json::{json, Value};

    #[test]
    fn voice_is_fifty_packets_of_200_bytes_a_second() {
        let endpoint = Voip::new(&Value::Null).unwrap().endpoint(&setup(1));
        let expected = Datagrams { payload_bytes: 160, header_bytes: 40, interval: 20 * MILLISECOND };
        assert_eq!(endpoint.datagrams(), Some(expected));
    }

    #[test]
    fn a_fixed_rate_counts_payload() {
        let endpoint = Cbr::new(&json!({"rate_bps": 1e6})).unwrap().endpoint(&setup(1));
        assert_eq!(endpoint.datagrams().map(|datagrams| datagrams.interval), Some(8 * MILLISECOND));
    }

    #[test]
    fn a_rate_is_as_limited_as_that_of_a_world() {
        for rate_bps in [0.0, -1.0, 999.0, 1.001e12, 1e13, 1e300] {
            let error = Cbr::new(&json!({"rate_bps": rate_bps})).unwrap_err();
            assert!(error.starts_with("rate_bps must be 1 kbit/s to 1 Tbit/s"), "{error}");
        }
        for rate_bps in [1e3, 1e12] {
            assert!(Cbr::new(&json!({"rate_bps": rate_bps})).is_ok());
        }
    }
}
