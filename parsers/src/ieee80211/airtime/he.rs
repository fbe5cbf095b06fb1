//! HE (IEEE 802.11ax-2021, clause 27) and EHT (802.11be-2024, clause 36), every PPDU format.
//!
//! TXTIME (27.4.3, 36.4.3) = 20 us of L-STF, L-LTF and L-SIG + the format's own preamble + N_SYM symbols of 12.8 us and
//! guard interval + midambles + packet extension. The packet extension depends on the nominal packet padding that the
//! receiver requires. It can only be derived from an L-SIG length. Without one, the maximum padding of 16 us is
//! assumed, which includes the unused part of the last symbol, unless the recording's answers contradict that
//! ([`HeReading`]).

use super::ldpc;
use super::modulation::{modulation, CodeRate};
use super::vht::training_fields;
use crate::frame::ppdu::{HeReading, PpduFormat, Ru};
use crate::frame::{Frame, Phy};
use crate::ieee80211::constants::{SERVICE_BITS, TAIL_BITS};

/// L-STF, L-LTF and L-SIG.
pub(super) const LEGACY_NS: u64 = 20_000;
/// T_DFT: a symbol without its guard interval.
const SYMBOL_NS: u64 = 12_800;
/// One symbol of a SIG field, RL-SIG, and the STF of all formats but the trigger-based ones.
const SHORT_FIELD_NS: u64 = 4_000;
/// HE-SIG-A, U-SIG, and the STF of trigger-based formats.
const LONG_FIELD_NS: u64 = 8_000;
/// Duration of the minimum HE-SIG-B for two users, 18 + 52 bits at 26 bits per symbol (27.3.11.8).
const MIN_SIG_B_SYMBOLS: u8 = 3;
/// Duration of EHT-SIG for one user, 52 bits at 26 bits per symbol (36.3.12.8).
const MIN_EHT_SIG_SYMBOLS: u8 = 2;
const MAX_STREAMS: u8 = 8;
/// An HE-LTF symbol in simulators: twice 3.2 us and a guard interval of 1.6 us, whatever that of the data.
const SIMULATED_LTF_NS: u64 = 8_000;

/// Durations of the parts of a PPDU, nanoseconds.
#[derive(Clone, Copy)]
struct Layout {
    /// From the end of L-SIG to the first data symbol: T_HE-PREAMBLE or T_EHT-PREAMBLE.
    preamble_ns: u64,
    /// T_SYM.
    symbol_ns: u64,
    /// Duration of a midamble: that of the LTFs.
    midamble_ns: u64,
}

/// `None` for a combination of MCS, streams, guard interval and resource unit that the standard does not define.
pub(super) fn txtime_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let data = data(frame, psdu_bytes)?;
    let padding_ns = match frame.ppdu.reading {
        HeReading::Padded => data.quarters * SHORT_FIELD_NS,
        HeReading::Unpadded | HeReading::Simulated => 0,
    };
    Some(us(Layout::of(frame)?.end_ns(frame, data.symbols) + padding_ns))
}

/// Up to the end of the last data symbol.
pub(super) fn sent_by_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    Some(us(Layout::of(frame)?.end_ns(frame, data(frame, psdu_bytes)?.symbols)))
}

/// Data bits of a symbol over its duration, kb/s. `None` as for [`txtime_us`].
pub(super) fn rate_kbps(frame: &Frame) -> Option<u32> {
    let (coding, symbol_ns) = (Coding::of(frame)?, Layout::of(frame)?.symbol_ns);
    u32::try_from(coding.rate.of(coding.coded_bits) * 1_000_000 / symbol_ns).ok()
}

fn data(frame: &Frame, psdu_bytes: u32) -> Option<Data> {
    let (coding, psdu_bits) = (Coding::of(frame)?, 8 * u64::from(psdu_bytes));
    Some(match frame.ppdu.reading {
        HeReading::Simulated => coding.whole_symbols(psdu_bits),
        HeReading::Padded | HeReading::Unpadded => coding.data(psdu_bits, frame.ppdu.ldpc_extra),
    })
}

/// Up to the first data symbol.
pub(super) fn preamble_us(frame: &Frame) -> Option<f64> {
    Layout::of(frame).map(|layout| us(LEGACY_NS + layout.preamble_ns))
}

/// TXTIME of a PPDU whose L-SIG gives a duration of `after_l_sig_ns` after L-SIG, rounded up to 4 us. The rounding is
/// undone if the header contains the required fields (equations 27-123 to 27-125). The flag is false if it is not
/// undone. `None` if the preamble alone lasts longer.
pub(super) fn rounded_txtime_us(frame: &Frame, after_l_sig_ns: u64) -> Option<(f64, bool)> {
    let layout = Layout::of(frame);
    if layout.is_some_and(|layout| after_l_sig_ns < layout.preamble_ns) {
        return None;
    }
    let (Some(layout), Some(pe_disambiguity), true) = (layout, frame.ppdu.pe_disambiguity, is_layout_known(frame))
    else {
        return Some((us(LEGACY_NS + after_l_sig_ns), false));
    };
    let rest_ns = after_l_sig_ns - layout.preamble_ns;
    let symbols = (rest_ns / layout.symbol_ns).saturating_sub(u64::from(pe_disambiguity));
    let data_ns = symbols * layout.symbol_ns;
    let extension_ns = (rest_ns - data_ns) / SHORT_FIELD_NS * SHORT_FIELD_NS;
    Some((us(LEGACY_NS + layout.preamble_ns + data_ns + extension_ns), true))
}

/// True for formats with an HE-SIG-B or EHT-SIG field, whose length may not be recorded.
pub(super) fn has_sig_field(frame: &Frame) -> bool {
    matches!(format(frame), PpduFormat::HeMu | PpduFormat::EhtMu)
}

/// The recorded FEC, else the only one that the RU, the streams or the MCS permit.
pub(super) fn ldpc(frame: &Frame) -> Option<bool> {
    let is_wide = ru(frame).is_some_and(|ru| ru.data_subcarriers() > Ru::T242.data_subcarriers());
    let is_required = is_wide || frame.nss > Some(4) || matches!(frame.mcs, Some(10..=13));
    frame.ldpc.or(is_required.then_some(true))
}

impl Layout {
    fn of(frame: &Frame) -> Option<Layout> {
        use PpduFormat as F;
        let guard_ns = match frame.guard_ns.unwrap_or(800) {
            guard @ (800 | 1600 | 3200) => u64::from(guard),
            _ => return None,
        };
        let ltf_size = u64::from(frame.ppdu.ltf_size.unwrap_or(if guard_ns == 3200 { 4 } else { 2 }));
        let ltf_symbols = match frame.ppdu.ltf_symbols {
            Some(symbols) => u64::from(symbols),
            None => training_fields(streams(frame)? * stbc(frame))?,
        };
        let ltf_symbol_ns = match (frame.ppdu.reading, frame.ppdu.ltf_size) {
            (HeReading::Simulated, None) => SIMULATED_LTF_NS,
            _ => SYMBOL_NS / 4 * ltf_size + guard_ns,
        };
        let ltf_ns = ltf_symbols * ltf_symbol_ns;
        let sig_ns = SHORT_FIELD_NS * u64::from(sig_symbols(frame));
        let own_fields_ns = match format(frame) {
            F::HeSu => LONG_FIELD_NS + SHORT_FIELD_NS,
            F::HeErSu => 2 * LONG_FIELD_NS + SHORT_FIELD_NS, // HE-SIG-A is repeated
            F::HeMu | F::EhtMu => LONG_FIELD_NS + sig_ns + SHORT_FIELD_NS,
            F::HeTb | F::EhtTb => 2 * LONG_FIELD_NS,
        };
        let preamble_ns = SHORT_FIELD_NS + own_fields_ns + ltf_ns;
        Some(Layout { preamble_ns, symbol_ns: SYMBOL_NS + guard_ns, midamble_ns: ltf_ns })
    }

    /// From the first preamble bit to the end of this number of data symbols.
    fn end_ns(self, frame: &Frame, symbols: u64) -> u64 {
        let midambles_ns = midambles(frame, symbols) * self.midamble_ns;
        LEGACY_NS + self.preamble_ns + symbols * self.symbol_ns + midambles_ns
    }
}

/// True if no field that determines the layout was assumed.
fn is_layout_known(frame: &Frame) -> bool {
    let has_ltfs = frame.ppdu.ltf_symbols.is_some() || (!frame.ppdu.is_multi_user() && frame.nss.is_some());
    let has_sig = frame.ppdu.sig_symbols.is_some() || !has_sig_field(frame);
    let no_midambles = frame.ppdu.midamble_period.unwrap_or(0) == 0;
    frame.guard_ns.is_some() && frame.ppdu.ltf_size.is_some() && has_ltfs && has_sig && no_midambles
}

/// Capacity of a symbol.
#[derive(Clone, Copy)]
struct Coding {
    /// N_CBPS, and N_CBPS,short: the coded bits of a quarter symbol, the shortest last symbol.
    coded_bits: u64,
    short_coded_bits: u64,
    rate: CodeRate,
    stbc: u64,
    ldpc: bool,
}

impl Coding {
    fn of(frame: &Frame) -> Option<Coding> {
        let mcs = frame.mcs.filter(|&mcs| mcs <= if frame.phy == Some(Phy::Eht) { 15 } else { 11 })?;
        let (bits, rate) = modulation(mcs)?;
        let ru = ru(frame)?;
        let bits = bits * streams(frame)?;
        let (subcarriers, short) = match (mcs, ru) {
            (14, _) => (ru.duplicated_data_subcarriers()?.into(), u64::from(ru.short_data_subcarriers()) / 4),
            (15, _) => halved(ru),
            _ if frame.ppdu.dcm == Some(true) => halved(ru),
            _ => (ru.data_subcarriers().into(), ru.short_data_subcarriers().into()),
        };
        let ldpc = ldpc(frame).unwrap_or(false);
        Some(Coding { coded_bits: subcarriers * bits, short_coded_bits: short * bits, rate, stbc: stbc(frame), ldpc })
    }

    /// As if the code were binary convolutional and every symbol were filled.
    fn whole_symbols(self, psdu_bits: u64) -> Data {
        let data_bits = self.stbc * self.rate.of(self.coded_bits).max(1);
        // There is one encoder (27.3.12.5.1).
        let symbols = self.stbc * (psdu_bits + SERVICE_BITS + TAIL_BITS).div_ceil(data_bits);
        Data { symbols, quarters: 4 }
    }

    /// N_SYM and a (27.3.12.5.2 to 27.3.12.5.4). A partly filled last symbol has full duration. An extra segment
    /// therefore adds a symbol only if all four segments are filled.
    fn data(self, psdu_bits: u64, recorded_extra: Option<bool>) -> Data {
        let data_bits = self.rate.of(self.coded_bits).max(1);
        let short_data_bits = self.rate.of(self.short_coded_bits).max(1);
        let bits = psdu_bits + SERVICE_BITS + if self.ldpc { 0 } else { TAIL_BITS };
        let symbols = self.stbc * bits.div_ceil(self.stbc * data_bits);
        let excess = bits % (self.stbc * data_bits);
        let quarters = if excess == 0 { 4 } else { excess.div_ceil(self.stbc * short_data_bits).min(4) };
        let needs_extra = || {
            let (last_data, last_coded) = match quarters {
                4 => (data_bits, self.coded_bits),
                _ => (quarters * short_data_bits, quarters * self.short_coded_bits),
            };
            let before = symbols - self.stbc;
            let payload_bits = before * data_bits + self.stbc * last_data;
            ldpc::needs_extra_symbol(payload_bits, before * self.coded_bits + self.stbc * last_coded, self.rate)
        };
        match self.ldpc && recorded_extra.unwrap_or_else(needs_extra) {
            false => Data { symbols, quarters },
            true if quarters == 4 => Data { symbols: symbols + self.stbc, quarters: 1 },
            true => Data { symbols, quarters: quarters + 1 },
        }
    }
}

/// Length of the data field.
#[derive(Clone, Copy)]
struct Data {
    /// N_SYM.
    symbols: u64,
    /// a, the pre-FEC padding factor: filled quarters of the last symbol. If the receiver requires 16 us of padding,
    /// the packet extension is 4 us for each (27.3.13).
    quarters: u64,
}

/// N_SD and N_SD,short with dual carrier modulation, which maps every bit to two subcarriers.
fn halved(ru: Ru) -> (u64, u64) {
    let short = if ru == Ru::T26 { 2 } else { u64::from(ru.short_data_subcarriers()) / 2 };
    (u64::from(ru.data_subcarriers()) / 2, short)
}

fn format(frame: &Frame) -> PpduFormat {
    let usual = if frame.phy == Some(Phy::Eht) { PpduFormat::EhtMu } else { PpduFormat::HeSu };
    frame.ppdu.format.unwrap_or(usual)
}

/// The RU of this user: the whole bandwidth if no RU is recorded, 20 MHz if neither is.
fn ru(frame: &Frame) -> Option<Ru> {
    frame.ppdu.ru.or_else(|| Ru::whole(frame.bandwidth_mhz.unwrap_or(20)))
}

fn sig_symbols(frame: &Frame) -> u8 {
    let fewest = if frame.phy == Some(Phy::Eht) { MIN_EHT_SIG_SYMBOLS } else { MIN_SIG_B_SYMBOLS };
    frame.ppdu.sig_symbols.unwrap_or(fewest)
}

/// N_SS, or what is presumed if it is not recorded.
fn streams(frame: &Frame) -> Option<u64> {
    let streams = frame.nss.unwrap_or(frame.ppdu.presumed_streams);
    (1..=MAX_STREAMS).contains(&streams).then_some(u64::from(streams))
}

/// m_STBC.
fn stbc(frame: &Frame) -> u64 {
    if frame.stbc.unwrap_or(0) > 0 {
        2
    } else {
        1
    }
}

/// N_MA (27.3.12.16).
fn midambles(frame: &Frame, symbols: u64) -> u64 {
    match frame.ppdu.midamble_period {
        None | Some(0) => 0,
        Some(period) => symbols.saturating_sub(1).div_ceil(period.into()).saturating_sub(1),
    }
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1000.0
}

#[cfg(test)]
#[path = "he_tests.rs"]
mod tests;
