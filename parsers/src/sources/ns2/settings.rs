//! Simulation settings that a trace omits: rates, PLCP, header sizes.
//!
//! ns-2's `Mac/802_11` sends RTS, CTS, ACK, management and broadcast frames at its basic rate, and unicast data at its
//! data rate. The PLCP bits before them have a rate of their own. No bit is padded or rounded. `Mac/802_11Ext` uses
//! OFDM symbols instead. A trace contains none of these rates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::numbers::{single, whole};
use crate::frame::{Addr, Assumptions, Direction, Frame, FrameKind, Layer, Phy, Preamble};
use crate::ieee80211::constants::{CTS_BYTES, OFDM_PREAMBLE_US, OFDM_SERVICE_AND_TAIL_BITS, OFDM_SYMBOL_US, RTS_BYTES};

/// The MAC parameters of one simulation; those of `ns-default.tcl` until others are inferred.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    /// `PreambleLength_` and `PLCPHeaderLength_`, octets; included in the frame size that a trace prints.
    pub(super) plcp_bytes: u32,
    /// Octets that the MAC adds to a packet: header and FCS (28 before ns-2.33, 34 with its fourth address).
    pub(super) header_bytes: u32,
    /// The airtime model of a frame.
    pub(super) coding: Coding,
    /// `basicRate_`, Mb/s; `None` if no frame at this rate has been received.
    pub(super) basic_mbps: Option<f64>,
    /// `dataRate_`, Mb/s; `None` if no unicast data has been received.
    pub(super) data_mbps: Option<f64>,
    /// `dataRate_` of each transmitter, where they differ; otherwise empty.
    pub(super) data_of: Arc<BTreeMap<Addr, f64>>,
    /// The transmitters whose data arrived when their data rate says. That of others is assumed.
    pub(super) checked: Arc<BTreeSet<Addr>>,
}

/// The airtime of a frame's octets at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Coding {
    /// Unpadded bits after a PLCP preamble and header of this many microseconds (`Mac/802_11`).
    Serial { plcp_us: f64 },
    /// Whole OFDM symbols of 4 us after a preamble and SIGNAL of 20 us. Both are multiplied by the down-clocking factor
    /// relative to a channel of 20 MHz (`Mac/802_11Ext`; IEEE 802.11-2020, 17.4.3 without signal extension).
    Symbols { scale: f64 },
}

impl Coding {
    /// Microseconds for `octets` at `mbps`.
    pub(super) fn airtime_us(self, octets: f64, mbps: f64) -> f64 {
        match self {
            Coding::Serial { .. } => self.preamble_us() + 8.0 * octets / mbps,
            Coding::Symbols { scale } => {
                let symbol_us = OFDM_SYMBOL_US * scale;
                let symbols = (8.0 * octets + f64::from(OFDM_SERVICE_AND_TAIL_BITS)) / (mbps * symbol_us);
                self.preamble_us() + symbol_us * symbols.ceil()
            }
        }
    }

    /// Duration of preamble and header, microseconds.
    pub(super) fn preamble_us(self) -> f64 {
        match self {
            Coding::Serial { plcp_us } => plcp_us,
            Coding::Symbols { scale } => OFDM_PREAMBLE_US * scale,
        }
    }
}

/// Octets of a control frame, FCS included; `None` for other kinds.
pub(super) fn control_bytes(kind: FrameKind) -> Option<u32> {
    match kind {
        FrameKind::Rts => Some(RTS_BYTES),
        FrameKind::Cts | FrameKind::Ack => Some(CTS_BYTES),
        _ => None,
    }
}

/// Defaults of `basicRate_`, `dataRate_` and `PLCPDataRate_`, Mb/s.
pub(super) const DEFAULT_MBPS: f64 = 1.0;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            plcp_bytes: 24,
            header_bytes: 34,
            coding: Coding::Serial { plcp_us: 192.0 },
            basic_mbps: None,
            data_mbps: None,
            data_of: Arc::default(),
            checked: Arc::default(),
        }
    }
}

impl Settings {
    /// `dataRate_` of a transmitter, Mb/s.
    pub(super) fn data_rate_of(&self, sender: Addr) -> Option<f64> {
        if self.data_of.is_empty() {
            self.data_mbps
        } else {
            self.data_of.get(&sender).copied()
        }
    }

    /// Sets lengths, modulation, airtime, start and end of a MAC row from `line::parse`.
    ///
    /// ns-2 writes `s` at the start of a transmission and `r` at the end of a reception.
    pub(super) fn complete(&self, frame: &mut Frame) {
        if frame.layer != Layer::Mac || frame.parse_error.is_some() {
            return;
        }
        self.set_lengths(frame);
        let (known, is_checked) = match frame.ta.filter(|_| is_unicast_data(frame)) {
            None => (self.basic_mbps, true),
            Some(sender) => (self.data_rate_of(sender), self.checked.contains(&sender)),
        };
        let rate = known.unwrap_or(DEFAULT_MBPS);
        frame.rate_mbps = Some(single(rate));
        frame.phy = self.phy(rate);
        frame.preamble = self.preamble();
        if let Coding::Symbols { scale } = self.coding {
            frame.bandwidth_mhz = u16::try_from(whole(20.0 / scale)).ok();
        }
        let Some(length) = frame.length_bytes else { return };
        if known.is_none() || !is_checked {
            frame.assumptions.insert(Assumptions::SIMULATOR_RATE);
        }
        let airtime_us = self.coding.airtime_us(f64::from(length), rate);
        let airtime_ns = whole(airtime_us * 1000.0 + 0.5);
        frame.airtime_us = Some(airtime_us);
        (frame.start_ns, frame.end_ns) = match frame.direction {
            Some(Direction::Tx) => (Some(frame.ts_ns), Some(frame.ts_ns.saturating_add(airtime_ns))),
            Some(Direction::Rx) => (Some(frame.ts_ns.saturating_sub(airtime_ns)), Some(frame.ts_ns)),
            _ => (None, None),
        };
    }

    /// Converts the printed size to MPDU and MSDU lengths.
    fn set_lengths(&self, frame: &mut Frame) {
        let Some(printed) = frame.length_bytes.take() else {
            let data = frame.payload_bytes.and_then(|payload| payload.checked_add(self.header_bytes));
            frame.length_bytes = control_bytes(frame.kind).or(data);
            return;
        };
        if frame.kind != FrameKind::Data {
            frame.length_bytes = printed.checked_sub(self.plcp_bytes);
            return;
        }
        match headers_in_size(frame) {
            Some(true) => {
                frame.length_bytes = printed.checked_sub(self.plcp_bytes);
                frame.payload_bytes = frame.length_bytes.and_then(|length| length.checked_sub(self.header_bytes));
            }
            Some(false) => {
                frame.length_bytes = printed.checked_add(self.header_bytes);
                frame.payload_bytes = Some(printed);
            }
            None => {}
        }
    }

    /// The modulation with this rate. If the PLCP duration is that of DSSS, DSSS is used at any rate, because the
    /// simulation uses its airtime equation.
    fn phy(&self, rate: f64) -> Option<Phy> {
        if matches!(self.coding, Coding::Symbols { .. }) {
            return Some(Phy::Ofdm);
        }
        match (rate, self.preamble()) {
            (1.0 | 2.0, _) => Some(Phy::Dsss),
            (5.5 | 11.0, _) | (_, Some(_)) => Some(Phy::HrDsss),
            (6.0 | 9.0 | 12.0 | 18.0 | 24.0 | 36.0 | 48.0 | 54.0, None) => Some(Phy::Ofdm),
            (_, None) => None,
        }
    }

    fn preamble(&self) -> Option<Preamble> {
        match self.coding {
            Coding::Serial { plcp_us: 192.0 } => Some(Preamble::Long),
            Coding::Serial { plcp_us: 96.0 } => Some(Preamble::Short),
            _ => None,
        }
    }
}

/// True for frames that ns-2 sends at its data rate.
pub(super) fn is_unicast_data(frame: &Frame) -> bool {
    frame.kind == FrameKind::Data && frame.ra.is_some_and(|ra| !ra.is_group())
}

/// Whether the size of this data row includes PLCP and MAC header. The MAC removes them before it passes a packet up,
/// and before it reports a duplicate or that it is too busy to receive. When the MAC discards a packet after its last
/// retry, it depends on the routing agent, so the result is unknown.
fn headers_in_size(frame: &Frame) -> Option<bool> {
    match (frame.direction?, frame.drop_reason.as_ref().map(|reason| reason.as_str())) {
        (Direction::Tx, _) | (Direction::Drop, Some("COL")) => Some(true),
        (Direction::Rx, _) | (Direction::Drop, Some("DUP" | "BSY")) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{event, line};
    use super::*;

    fn eleven() -> Settings {
        let checked = Arc::new((0..4).map(event::station).collect());
        Settings { basic_mbps: Some(1.0), data_mbps: Some(11.0), checked, ..Settings::default() }
    }

    fn complete(settings: &Settings, line: &str) -> Frame {
        let mut frame = line::parse(line.as_bytes(), 1);
        settings.complete(&mut frame);
        frame
    }

    #[test]
    fn what_is_sent_starts_at_its_stamp() {
        let rts = complete(&eleven(), "s 1.013198267 _2_ MAC  --- 0 RTS 44 [36b 3 2 0] ");
        assert_eq!((rts.length_bytes, rts.airtime_us, rts.phy), (Some(RTS_BYTES), Some(352.0), Some(Phy::Dsss)));
        assert_eq!((rts.start_ns, rts.end_ns), (Some(1_013_198_267), Some(1_013_550_267)));
        assert!(rts.assumptions.is_empty());
    }

    #[test]
    fn what_is_received_ends_at_its_stamp() {
        let data = "r 1.025751593 _1_ MAC  --- 0 cbr 1020 [13a 1 0 800] ------- [0:0 3:0 30 1] [0] 1 0";
        let data = complete(&eleven(), data);
        assert_eq!((data.length_bytes, data.payload_bytes), (Some(1054), Some(1020)));
        assert_eq!((data.phy, data.rate_mbps), (Some(Phy::HrDsss), Some(11.0)));
        assert_eq!(data.airtime_us, Some(192.0 + 8432.0 / 11.0)); // 958.545
        assert_eq!((data.start_ns, data.end_ns), (Some(1_024_793_048), Some(1_025_751_593)));
    }

    #[test]
    fn broadcast_goes_at_the_basic_rate() {
        let line = "s 1.000535000 _0_ MAC  --- 0 AODV 106 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0] [0x2]";
        assert_eq!(complete(&eleven(), line).airtime_us, Some(848.0));
    }

    #[test]
    fn drops_know_their_length_only_where_ns2_is_consistent() {
        let drop = |reason, size| {
            format!("D 1.366120431 _3_ MAC  {reason} 50 cbr {size} [13a 2 3 800] ------- [3:1 0:1 30 2] [0] 0 0")
        };
        for (reason, size, length, payload) in
            [("COL", 590, Some(566), Some(532)), ("DUP", 532, Some(566), Some(532)), ("RET", 532, None, None)]
        {
            let row = complete(&eleven(), &drop(reason, size));
            assert_eq!((row.length_bytes, row.payload_bytes), (length, payload), "{reason}");
            assert_eq!((row.start_ns, row.end_ns), (None, None));
        }
    }

    #[test]
    fn an_unknown_rate_is_ns2s_default_and_said_to_be_assumed() {
        let rts = complete(&Settings::default(), "s 1.0 _2_ MAC  --- 0 RTS 44 [36b 3 2 0] ");
        assert_eq!((rts.airtime_us, rts.assumptions), (Some(352.0), Assumptions::SIMULATOR_RATE));
    }

    #[test]
    fn ofdm_frames_fill_whole_symbols() {
        let ofdm = Settings {
            plcp_bytes: 0,
            header_bytes: 28,
            coding: Coding::Symbols { scale: 1.0 },
            basic_mbps: Some(6.0),
            data_mbps: Some(6.0),
            ..eleven()
        };
        let data = "s 1.001276000 _0_ MAC  --- 0 cbr 548 [3c 3 0 0] ------- [0:0 3:0 30 3] [0] 0 0";
        let data = complete(&ofdm, data);
        // 8 * 548 + 22 bits in symbols of 24 are 184.
        assert_eq!((data.airtime_us, data.payload_bytes), (Some(20.0 + 184.0 * 4.0), Some(520)));
        assert_eq!((data.phy, data.bandwidth_mhz, data.preamble), (Some(Phy::Ofdm), Some(20), None));
        assert_eq!(Coding::Symbols { scale: 2.0 }.airtime_us(14.0, 3.0), 40.0 + 6.0 * 8.0);
    }

    #[test]
    fn lines_without_a_size_are_of_known_frames() {
        let node = "-Hs 2 -Hd -2 -Ni 2 -Nl MAC -Nw ---";
        let rts = complete(&eleven(), &format!("s -t 1.0 {node} -Ma 36b -Md 3 -Ms 2 -Mt 0 "));
        assert_eq!((rts.length_bytes, rts.airtime_us), (Some(RTS_BYTES), Some(352.0)));
        let arp =
            format!("s -t 1.0 {node} -Ma 0 -Md ffffffff -Ms 2 -Mt 806 -P arp -Po REQUEST -Pms 2 -Ps 2 -Pmd 0 -Pd 3 ");
        let arp = complete(&eleven(), &arp);
        assert_eq!((arp.length_bytes, arp.payload_bytes, arp.airtime_us), (Some(62), Some(28), Some(688.0)));
    }

    #[test]
    fn impossible_sizes_have_no_length() {
        let rts = complete(&eleven(), "s 1.0 _2_ MAC  --- 0 RTS 3 [36b 3 2 0] ");
        assert_eq!((rts.length_bytes, rts.airtime_us, rts.start_ns), (None, None, None));
        let data = complete(&eleven(), "r 1.0 _2_ MAC  --- 0 cbr 4294967295 [36b 2 3 0] ------- [0:0 3:0 30 1]");
        assert_eq!(data.length_bytes, None);
    }
}
