//! Times of a frame on the air, as far as known, and the latest start of its response.

use crate::base::numbers::whole;
use crate::base::time::ns;
use crate::frame::{Frame, Layer, ParseError, Phy};
use crate::ieee80211::constants::{
    PhyTiming, BLOCK_ACK_BYTES, LEGACY_PPDU_MAX_NS, LONG_PLCP_US, LONG_SLOT_US, PPDU_MAX_NS,
};

/// The longest preamble. A response may appear late by this much if it is unknown whether a stamp marks the
/// start of the frame or of the MPDU.
const MAX_PREAMBLE_NS: i64 = whole(LONG_PLCP_US) * 1_000;
/// Airtime of a BlockAck, the longest control frame, at 1 Mb/s.
const MAX_CONTROL_NS: i64 = MAX_PREAMBLE_NS + 8_000 * BLOCK_ACK_BYTES as i64;
/// A PPDU that starts at most this long after SIFS is not a new channel access (PIFS is one slot longer than
/// SIFS).
const SIFS_TOLERANCE_NS: i64 = 8_000;

/// Times of one frame on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameSpan {
    /// First preamble bit, where known.
    pub(super) start_ns: Option<i64>,
    /// End of the frame, where known.
    pub(super) end_ns: Option<i64>,
    /// Time by which frames are ordered: the start if known, else the end, else the stamp.
    pub(super) at_ns: i64,
    /// The latest instant at which the frame is known to have been on the air.
    pub(super) until_ns: i64,
    /// Bound on the error of distances to other frames.
    pub(super) error_ns: i64,
}

impl FrameSpan {
    pub(super) fn of(frame: &Frame) -> FrameSpan {
        let at_ns = frame.start_ns.or(frame.end_ns).unwrap_or(frame.ts_ns);
        let until_ns = frame.end_ns.unwrap_or(at_ns).max(at_ns);
        FrameSpan { start_ns: frame.start_ns, end_ns: frame.end_ns, at_ns, until_ns, error_ns: 0 }
    }

    /// Latest start of a frame that was sent one SIFS after this one. It is SIFS, a slot and the receiver's
    /// delay, as in the standard's timeouts (10.3.2.9), plus an allowance for unknown times.
    pub(super) fn response_by_ns(&self, frame: &Frame) -> i64 {
        let unknown = if self.end_ns.is_some() { 0 } else { longest_ns(frame) };
        let slot = frame.phy.map_or(LONG_SLOT_US, |phy| PhyTiming::of(phy, frame.channel_mhz).slot_us);
        self.until_ns
            .saturating_add(unknown)
            .saturating_add(ns(sifs_us(frame) + slot))
            .saturating_add(MAX_PREAMBLE_NS)
            .saturating_add(self.error_ns)
    }

    /// True if this frame began by the latest start `by_ns` of a response to a frame that ended at `asked_ns`. Where
    /// both times are known, the allowance for a preamble that may lie before the stamp is not due.
    pub(super) fn responds_by(&self, by_ns: i64, asked_ns: Option<i64>) -> bool {
        let is_known = self.start_ns.is_some() && asked_ns.is_some();
        self.at_ns <= if is_known { by_ns.saturating_sub(MAX_PREAMBLE_NS) } else { by_ns }
    }

    /// Latest start of a frame that the Duration field of this one protects.
    pub(super) fn protected_until_ns(&self, frame: &Frame) -> i64 {
        let nav = i64::from(frame.nav_us.unwrap_or(0)) * 1000;
        self.response_by_ns(frame).saturating_add(nav)
    }

    /// True if this frame started too soon after a PPDU that ended at `end_ns` for any other station to have
    /// answered, or for its own sender to have contended again.
    pub(super) fn continues(&self, frame: &Frame, end_ns: i64) -> bool {
        self.at_ns <= end_ns.saturating_add(ns(sifs_us(frame))).saturating_add(SIFS_TOLERANCE_NS)
    }
}

/// True for frames on the air at a radio; false for a simulator's queue, router or drop events, and for records of
/// another link type (Ethernet, Bluetooth, USB).
pub(super) fn is_on_air(frame: &Frame) -> bool {
    use crate::frame::Direction::{Drop, Enqueue};
    let is_foreign = frame.parse_error == Some(ParseError::LinkType);
    frame.layer == Layer::Mac && !is_foreign && !matches!(frame.direction, Some(Drop | Enqueue))
}

/// SIFS after a frame, microseconds. The value for 2.4 GHz is used if the band is unknown.
pub(super) fn sifs_us(frame: &Frame) -> f64 {
    PhyTiming::of(frame.phy.unwrap_or(Phy::Erp), frame.channel_mhz).sifs_us
}

/// An upper bound on the airtime of a frame whose airtime is unknown.
fn longest_ns(frame: &Frame) -> i64 {
    use crate::frame::FrameKind::{Ack, BlockAck, BlockAckReq, Cts, PsPoll, Rts};
    match (frame.kind, frame.phy) {
        (Rts | Cts | Ack | BlockAck | BlockAckReq | PsPoll, _) => MAX_CONTROL_NS,
        (_, Some(Phy::Ht | Phy::Vht | Phy::He | Phy::Eht)) => PPDU_MAX_NS as i64,
        _ => LEGACY_PPDU_MAX_NS as i64,
    }
}
