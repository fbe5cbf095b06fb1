//! Parameters of the 802.11 MAC and PHY, and the airtimes that follow from them.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use winf_ieee80211::{
    Phy, PhyTiming, BLOCK_ACK_BYTES, BLOCK_ACK_REQUEST_BYTES, DATA_HEADER_BYTES, FCS_BYTES, LONG_RETRY_LIMIT,
    OFDM_SERVICE_AND_TAIL_BITS, OFDM_SYMBOL_US, SHORT_RETRY_LIMIT,
};

use crate::units::{seconds_over, Nanos, MICROSECOND};

use super::aggregation::Aggregation;

pub use winf_ieee80211::{ACK_BYTES, CTS_BYTES, RTS_BYTES};

/// MAC and PHY of every wireless node of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MacParameters {
    /// Slot time.
    pub slot_ns: Nanos,
    /// Short interframe space.
    pub sifs_ns: Nanos,
    /// Distributed interframe space.
    pub difs_ns: Nanos,
    /// Least contention window: a backoff is 0 to this many slots.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Attempts of a short frame, and of an RTS, before its packet is dropped.
    pub short_retry_limit: u32,
    /// Attempts of a data frame that is longer than the RTS threshold.
    pub long_retry_limit: u32,
    /// Attempts of an RTS, where they differ from `short_retry_limit`: ns-3 repeats it until it is answered.
    pub rts_retry_limit: Option<u32>,
    /// Packets of more bytes than this are sent after RTS and CTS; `None`: none are.
    pub rts_threshold_bytes: Option<u32>,
    /// Preamble and PLCP header, before every frame.
    pub plcp_ns: Nanos,
    /// MAC header, FCS and whatever else is sent with a packet, bytes.
    pub mac_header_bytes: u32,
    /// Rate of RTS, CTS and ACK where the link says nothing else, bit/s.
    pub control_rate_bps: u64,
    /// What follows the PLCP takes a multiple of this.
    pub symbol_ns: Nanos,
    /// Service and tail bits that OFDM adds to a frame.
    pub extra_bits: u32,
    /// Silence at the end of every frame (ERP-OFDM's signal extension).
    pub signal_extension_ns: Nanos,
    /// When stations wait EIFS instead of DIFS.
    pub eifs: Eifs,
    /// When a packet that finds the medium idle draws a backoff.
    pub access: Access,
    /// How long stations wait for an answer.
    pub answer_wait: AnswerWait,
    /// Whether a NAV set by an RTS is given up when no data follows (IEEE 802.11 sec. 10.3.2.4).
    pub nav_reset: bool,
    /// Whether a frame that begins while a weaker one is sensed can still be received. ns-2's receivers stay with the
    /// frame that came first, and what is stronger and later is lost.
    pub late_capture: bool,
    /// How much stronger what is received at the control rate (control frames, PLCP headers, and data at that rate)
    /// must be than a frame that begins after it, dB, where it needs less than others do; `None`: as much. Direct-
    /// sequence spreading at 1 Mbit/s gains 10 dB (ns-3: 13 dB): its frames survive others that are as strong. Of
    /// frames that begin at the same instant neither preamble is detected. Received powers must be known.
    pub control_capture_db: Option<f64>,
    /// The end of a frame survives one that begins so long before it at the latest, and is not stronger: a few symbols
    /// may be right by chance.
    #[serde(default)]
    pub survived_overlap_ns: Nanos,
    /// How stations send A-MPDUs; `None`: they do not.
    #[serde(default)]
    pub aggregation: Option<Aggregation>,
}

/// When stations wait EIFS (IEEE 802.11 sec. 10.3.2.3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Eifs {
    /// Never.
    Off,
    /// After a frame whose PLCP header they decoded, but that was then corrupted: the standard, and ns-3.
    Corrupted,
    /// After every frame they sensed but did not decode, distance being the reason or not: ns-2.
    Sensed,
}

/// When a packet that finds the medium idle draws a backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Only if the backoff after the station's last packet is still under way (IEEE 802.11 sec. 10.3.4.2).
    Immediate,
    /// Always, counted from DIFS after it became head of line: ns-2, and what analytical models presume.
    AlwaysBackOff,
    /// If the last backoff is still under way, or others have taken the medium; otherwise it waits for DIFS from when it
    /// came, and draws none even if the medium is taken meanwhile. So what a station forwards follows DIFS after its
    /// acknowledgement of it: ns-3.
    WhenTaken,
}

/// How long a station waits for the answer to its frame before it takes the attempt to have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerWait {
    /// SIFS, the answer, and a slot.
    Whole,
    /// SIFS and the answer, without a slot (S001 sec. 4.3); an answer that ends at that instant counts.
    Bare,
    /// SIFS, the answer's PLCP header, and a slot, and until the end of a frame whose reception began by then
    /// (IEEE 802.11-2020 sec. 10.3.2.9 and 10.3.2.11); the medium counts as taken until then. A NAV set by an RTS is
    /// given up a PLCP header later, too (sec. 10.3.2.4). ns-3.
    Header,
}

/// A set of parameters with a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// 802.11b with the long preamble, control frames at 1 Mbit/s (S001 Table 1, and ns-2's defaults).
    #[default]
    #[serde(rename = "802.11b")]
    B,
    /// 802.11g alone on its channel: short slots, control frames at 24 Mbit/s.
    #[serde(rename = "802.11g")]
    G,
}

impl Preset {
    /// The parameters.
    #[must_use]
    pub fn parameters(self) -> MacParameters {
        match self {
            Preset::B => MacParameters::dot11b(),
            Preset::G => MacParameters::dot11g(),
        }
    }
}

impl Default for MacParameters {
    fn default() -> Self {
        Self::dot11b()
    }
}

/// Durations of the standard are whole microseconds.
fn nanos(us: f64) -> Nanos {
    us as Nanos * MICROSECOND
}

impl MacParameters {
    /// 802.11b with the long preamble: S001 Table 1, which are ns-2's defaults too. No RTS.
    #[must_use]
    pub fn dot11b() -> Self {
        let phy = PhyTiming::of(Phy::HrDsss, None);
        Self {
            slot_ns: nanos(phy.slot_us),
            sifs_ns: nanos(phy.sifs_us),
            difs_ns: nanos(phy.difs_us()),
            cw_min: phy.cw_min,
            cw_max: phy.cw_max,
            short_retry_limit: SHORT_RETRY_LIMIT,
            long_retry_limit: LONG_RETRY_LIMIT,
            rts_retry_limit: None,
            rts_threshold_bytes: None,
            plcp_ns: nanos(phy.preamble_us),
            mac_header_bytes: DATA_HEADER_BYTES + FCS_BYTES,
            control_rate_bps: 1_000_000,
            symbol_ns: 1,
            extra_bits: 0,
            signal_extension_ns: 0,
            eifs: Eifs::Corrupted,
            access: Access::Immediate,
            answer_wait: AnswerWait::Whole,
            nav_reset: true,
            late_capture: true,
            control_capture_db: None,
            survived_overlap_ns: 0,
            aggregation: None,
        }
    }

    /// 802.11g without 802.11b stations (IEEE 802.11 clause 18): short slots. No RTS.
    #[must_use]
    pub fn dot11g() -> Self {
        let phy = PhyTiming::of(Phy::Erp, None);
        Self {
            slot_ns: nanos(phy.slot_us),
            sifs_ns: nanos(phy.sifs_us),
            difs_ns: nanos(phy.difs_us()),
            cw_min: phy.cw_min,
            plcp_ns: nanos(phy.preamble_us),
            control_rate_bps: 24_000_000,
            symbol_ns: nanos(OFDM_SYMBOL_US),
            extra_bits: OFDM_SERVICE_AND_TAIL_BITS,
            signal_extension_ns: nanos(phy.signal_extension_us),
            ..Self::dot11b()
        }
    }

    /// The same with RTS and CTS before every packet.
    #[must_use]
    pub fn with_rts(mut self) -> Self {
        self.rts_threshold_bytes = Some(0);
        self
    }

    /// Whether a packet of so many bytes is sent after RTS and CTS.
    #[must_use]
    pub fn uses_rts(&self, packet_bytes: u32) -> bool {
        self.rts_threshold_bytes.is_some_and(|threshold| packet_bytes > threshold)
    }

    /// Airtime of a frame of `bytes`, header and FCS included. `rate_bps` is positive.
    #[must_use]
    pub fn frame_airtime(&self, bytes: u32, rate_bps: u64) -> Nanos {
        let bits = u64::from(bytes) * 8 + u64::from(self.extra_bits);
        let symbols = seconds_over(bits, u128::from(rate_bps) * u128::from(self.symbol_ns));
        self.plcp_ns + symbols * self.symbol_ns + self.signal_extension_ns
    }

    /// Airtime of the data frame of a packet.
    #[must_use]
    pub fn data_airtime(&self, packet_bytes: u32, rate_bps: u64) -> Nanos {
        self.frame_airtime(packet_bytes.saturating_add(self.mac_header_bytes), rate_bps)
    }

    /// Airtimes of the control frames at a rate.
    #[must_use]
    pub fn control_airtimes(&self, rate_bps: u64) -> ControlAirtimes {
        ControlAirtimes {
            rts: self.frame_airtime(RTS_BYTES, rate_bps),
            cts: self.frame_airtime(CTS_BYTES, rate_bps),
            ack: self.frame_airtime(ACK_BYTES, rate_bps),
            block_ack: self.frame_airtime(BLOCK_ACK_BYTES, rate_bps),
            block_ack_request: self.frame_airtime(BLOCK_ACK_REQUEST_BYTES, rate_bps),
        }
    }

    /// Airtime of an ACK with so many octets of its own kind in it.
    #[must_use]
    pub fn ack_airtime(&self, told_bytes: u32, rate_bps: u64) -> Nanos {
        self.frame_airtime(ACK_BYTES.saturating_add(told_bytes), rate_bps)
    }

    /// T_X of a packet: from the start of the first frame to the end of the acknowledgement.
    #[must_use]
    pub fn exchange_airtime(&self, packet_bytes: u32, data: Nanos, control: ControlAirtimes) -> Nanos {
        let handshake = if self.uses_rts(packet_bytes) { control.rts + control.cts + 2 * self.sifs_ns } else { 0 };
        handshake + data + self.sifs_ns + control.ack
    }

    /// Mean backoff of a first attempt.
    #[must_use]
    pub fn mean_backoff(&self) -> Nanos {
        Nanos::from(self.cw_min) * self.slot_ns / 2
    }

    /// EIFS: SIFS, an acknowledgement at the control rate, and DIFS.
    #[must_use]
    pub fn eifs_ns(&self) -> Nanos {
        self.sifs_ns + self.frame_airtime(ACK_BYTES, self.control_rate_bps) + self.difs_ns
    }
}

/// Airtimes of control frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlAirtimes {
    /// Request to send.
    pub rts: Nanos,
    /// Clear to send.
    pub cts: Nanos,
    /// Acknowledgement.
    pub ack: Nanos,
    /// Compressed BlockAck.
    pub block_ack: Nanos,
    /// Compressed BlockAckReq.
    pub block_ack_request: Nanos,
}

/// Reads parameters as `{preset = "802.11b", slot_ns = ...}`: those of the preset, but for what is named.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MacParameters, D::Error> {
    deserializer.deserialize_map(OverPreset)
}

struct OverPreset;

impl<'de> Visitor<'de> for OverPreset {
    type Value = MacParameters;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table of MAC parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MacParameters, A::Error> {
        let (mut preset, mut given) = (Preset::default(), Map::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == "preset" {
                preset = map.next_value()?;
            } else {
                let value = map.next_value_seed(Field(&name))?;
                given.insert(name, value);
            }
        }
        over(preset, given).map_err(A::Error::custom)
    }
}

/// The value of one parameter, checked while its place in the document is known.
struct Field<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let alone = Map::from_iter([(self.0.to_owned(), value.clone())]);
        over(Preset::default(), alone).map_err(D::Error::custom)?;
        Ok(value)
    }
}

/// A preset with some of its values replaced.
fn over(preset: Preset, given: Map<String, Value>) -> Result<MacParameters, serde_json::Error> {
    let mut merged = serde_json::to_value(preset.parameters())?;
    if let Some(fields) = merged.as_object_mut() {
        fields.extend(given);
    }
    serde_json::from_value(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELEVEN: u64 = 11_000_000;

    /// V-T1: S001 Table 1's parameters.
    #[test]
    fn airtimes_of_802_11b() {
        let mac = MacParameters::dot11b();
        let control = mac.control_airtimes(1_000_000);
        assert_eq!((control.rts, control.cts, control.ack), (352_000, 304_000, 304_000));
        for (bytes, data, exchange) in
            [(1500, 1_303_273, 2_293_273), (512, 584_728, 1_574_728), (1000, 939_637, 1_929_637)]
        {
            assert_eq!(mac.data_airtime(bytes, ELEVEN), data);
            assert_eq!(mac.clone().with_rts().exchange_airtime(bytes, data, control), exchange);
        }
        assert_eq!(mac.exchange_airtime(1500, 1_303_273, control), 1_617_273);
        assert_eq!(mac.mean_backoff(), 310_000);
    }

    /// IEEE 802.11 sec. 17.4.3 for 54 Mbit/s: 20 us + 4 us * ceil((16 + 8 * 1528 + 6) / 216), and 6 us after it.
    #[test]
    fn airtimes_of_802_11g_are_whole_symbols() {
        let mac = MacParameters::dot11g();
        assert_eq!(mac.data_airtime(1500, 54_000_000), (20 + 4 * 57 + 6) * MICROSECOND);
        assert_eq!(mac.control_airtimes(24_000_000).ack, (20 + 4 * 2 + 6) * MICROSECOND);
    }
}
