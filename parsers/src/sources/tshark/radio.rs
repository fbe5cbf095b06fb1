//! Radio metadata of a frame.
//!
//! Wireshark's values are converted to an equivalent radiotap header, which the decoder of the native readers parses.
//! PHY detection and driver quirks are thus handled in one place. Frames with another capture header have the values
//! that Wireshark provides for every kind of header (`wlan_radio`).

use super::fields::Field;
use super::radiotap_header::HeaderWriter;
use super::row::{truth, Row};
use crate::base::numbers::whole;
use crate::frame::{AntennaSignals, Frame, ParseError, Phy};
use crate::ieee80211::radiotap::{self, Flags};

/// Octets of a Prism header.
const PRISM_BYTES: u32 = 144;
/// Octets of a Linux cooked header, version 1.
const COOKED_BYTES: u32 = 16;
const SHORT_PREAMBLE: u8 = 0x02;

/// Location and flags of a frame in its record.
pub(super) struct Capture {
    /// Octets before the MAC frame; `None` for encapsulations whose length Wireshark does not provide.
    pub header_bytes: Option<u32>,
    /// The radiotap flags, if present.
    pub flags: Option<Flags>,
    /// The PPDU carried no PSDU.
    pub no_psdu: bool,
    /// The capture header declares whether the frame ends with an FCS.
    pub declares_fcs: bool,
}

/// Fills the radio columns of `frame`.
///
/// # Errors
/// The reason why the MAC frame could not be found.
pub(super) fn fill(row: &Row<'_>, frame: &mut Frame) -> Result<Capture, ParseError> {
    let is_radiotap = row.text(Field::RadiotapBytes).is_some();
    let header = if is_radiotap {
        check_radiotap(row)?;
        radiotap_fields(row)
    } else {
        radio_fields(row)
    };
    let header = radiotap::decode(&header, frame)?;
    if is_radiotap {
        frame.antenna_signals_dbm = antenna_signals(row);
    } else if row.text(Field::RadioShortPreamble).is_none() && matches!(frame.phy, Some(Phy::Dsss | Phy::HrDsss)) {
        frame.preamble = None;
    }
    let flags = header.flags.filter(|_| is_radiotap);
    let declares_fcs = flags.is_some() || row.text(Field::PpiFlags).is_some();
    Ok(Capture { header_bytes: header_bytes(row), flags, no_psdu: header.no_psdu, declares_fcs })
}

fn check_radiotap(row: &Row<'_>) -> Result<(), ParseError> {
    if row.number::<u8>(Field::RadiotapVersion).is_some_and(|version| version != 0) {
        return Err(ParseError::RadiotapVersion);
    }
    let (header, captured) = (row.number::<u32>(Field::RadiotapBytes), row.number::<u32>(Field::CapturedBytes));
    if header > captured {
        return Err(ParseError::RadiotapCut);
    }
    Ok(())
}

/// Octets before the MAC frame: the total length of the capture headers.
pub(super) fn header_bytes(row: &Row<'_>) -> Option<u32> {
    let mut protocols = row.text(Field::Protocols)?.split(':').take_while(|&protocol| protocol != "wlan");
    protocols.try_fold(0u32, |sum, protocol| {
        let octets = match protocol {
            "wlan_radio" => Some(0),
            "radiotap" => row.number(Field::RadiotapBytes),
            "prism" => Some(PRISM_BYTES),
            "wlancap" => row.number(Field::AvsBytes),
            "ppi" => row.number(Field::PpiBytes),
            "sll" => Some(COOKED_BYTES),
            _ => None,
        };
        sum.checked_add(octets?)
    })
}

/// The radiotap header rebuilt from the fields of the original one.
fn radiotap_fields(row: &Row<'_>) -> Vec<u8> {
    let mut header = HeaderWriter::new();
    let channel = row.number(Field::ChannelMhz).or_else(|| row.number(Field::XchannelMhz));
    let flags = row.number::<u16>(Field::ChannelFlags).or_else(|| {
        let flags: u32 = row.number(Field::XchannelFlags)?;
        u16::try_from(flags & 0xffff).ok()
    });
    header.add(0, 8, row.number(Field::Tsft).map(u64::to_le_bytes));
    header.add(1, 1, row.number(Field::Flags).map(u8::to_le_bytes));
    header.add(2, 1, rate(row, Field::Rate));
    header.add(3, 2, channel.map(|mhz| words::<2, 4>([mhz, flags.unwrap_or_default()])));
    header.add(5, 1, row.parsed(Field::AntennaSignal).map(i8::to_le_bytes));
    header.add(6, 1, row.parsed(Field::AntennaNoise).map(i8::to_le_bytes));
    header.add(12, 1, row.text(Field::AntennaSignalDb).map(|_| [0]));
    header.add(14, 2, row.text(Field::RxFlags).map(|_| [0; 2]));
    header.add(15, 2, row.text(Field::TxFlags).map(|_| [0; 2]));
    header.add(19, 1, mcs(row));
    header.add(20, 4, row.number::<u32>(Field::AmpduReference).map(ampdu));
    header.add(21, 2, vht(row));
    header.add(23, 2, he(row));
    header.add(24, 2, he_mu(row));
    header.add(26, 1, row.number(Field::NoPsdu).map(u8::to_le_bytes));
    header.add(27, 2, l_sig(row));
    header.finish()
}

/// A radiotap header with Wireshark's values for a frame with another capture header.
fn radio_fields(row: &Row<'_>) -> Vec<u8> {
    let mut header = HeaderWriter::new();
    let preamble = if row.is_set(Field::RadioShortPreamble) { SHORT_PREAMBLE } else { 0 };
    let channel = row.number::<u16>(Field::RadioMhz).filter(|&mhz| mhz != 0);
    let aggregated = row.is_set(Field::PpiAggregated);
    let reference = row.number::<u32>(Field::PpiAmpduReference).filter(|_| aggregated);
    header.add(0, 8, row.number(Field::RadioTimestamp).map(u64::to_le_bytes));
    header.add(1, 1, Some([preamble]));
    header.add(2, 1, rate(row, Field::RadioRate));
    header.add(3, 2, channel.map(|mhz| words::<2, 4>([mhz, radiotap::band_flag(mhz)])));
    header.add(5, 1, dbm(row, Field::RadioSignal));
    header.add(6, 1, dbm(row, Field::RadioNoise));
    header.add(15, 2, row.is_set(Field::PrismIsSent).then_some([0; 2]));
    header.add(19, 1, radio_ht(row));
    header.add(20, 4, reference.map(ampdu));
    header.add(21, 2, vht(row));
    header.finish()
}

/// Rate in units of 500 kb/s.
fn rate(row: &Row<'_>, field: Field) -> Option<[u8; 1]> {
    let twice = 2.0 * row.parsed::<f32>(field)?;
    u8::try_from(whole(twice.into())).ok().filter(|&rate| rate > 0).map(|rate| [rate])
}

/// A power in dBm, or `None` if implausible: older headers use zero for unknown.
fn dbm(row: &Row<'_>, field: Field) -> Option<[u8; 1]> {
    row.parsed(field).filter(|&dbm: &i8| dbm < 0).map(i8::to_le_bytes)
}

fn mcs(row: &Row<'_>) -> Option<[u8; 3]> {
    let bits = |field, shift: u32| row.number::<u8>(field).unwrap_or_default().checked_shl(shift).unwrap_or_default();
    let flags = bits(Field::McsBandwidth, 0)
        | bits(Field::McsGuard, 2)
        | bits(Field::McsFormat, 3)
        | bits(Field::McsFec, 4)
        | bits(Field::McsStbc, 5);
    Some([row.number(Field::McsKnown)?, flags, row.number(Field::McsIndex).unwrap_or_default()])
}

fn radio_ht(row: &Row<'_>) -> Option<[u8; 3]> {
    const INDEX: u8 = 0x02;
    let index = row.number(Field::RadioHtMcs)?;
    let bandwidth: Option<u8> = row.number(Field::RadioHtBandwidth);
    let (guard, greenfield) = (row.flag(Field::RadioHtShortGuard), row.flag(Field::RadioHtGreenfield));
    let known =
        INDEX | u8::from(bandwidth.is_some()) | u8::from(guard.is_some()) << 2 | u8::from(greenfield.is_some()) << 3;
    let set = |flag: Option<bool>| u8::from(flag == Some(true));
    Some([known, bandwidth.unwrap_or_default() & 0x03 | set(guard) << 2 | set(greenfield) << 3, index])
}

/// A-MPDU status: the reference number, and no flags.
fn ampdu(reference: u32) -> [u8; 8] {
    u64::from(reference).to_le_bytes()
}

/// Wireshark shows the known bits only for the whole PPDU, and the users only for radiotap.
fn vht(row: &Row<'_>) -> Option<[u8; 12]> {
    const STBC: u8 = 0x01;
    const GUARD: u8 = 0x04;
    const LDPC_EXTRA: u8 = 0x10;
    const BANDWIDTH: u8 = 0x40;
    let bits =
        |flag: Option<bool>, bit: u8| (if flag.is_some() { bit } else { 0 }, if flag == Some(true) { bit } else { 0 });
    let bandwidth: Option<u8> = row.number(Field::RadioVhtBandwidth);
    let stbc = bits(row.flag(Field::RadioVhtStbc), STBC);
    let guard = bits(row.flag(Field::RadioVhtShortGuard), GUARD);
    // One field name covers two bits: the known bit, then the value.
    let extra = bits(row.all(Field::VhtLdpcExtra).nth(1).and_then(truth), LDPC_EXTRA);
    let users = vht_users(row)?;
    let known = stbc.0 | guard.0 | extra.0 | if bandwidth.is_some() { BANDWIDTH } else { 0 };
    let coding = users.iter().rev().fold(0, |bits, &(_, coding)| bits << 1 | coding & 1);
    let [first, second, third, fourth] = users.map(|(user, _)| user);
    let flags = stbc.1 | guard.1 | extra.1;
    Some([known, 0, flags, bandwidth.unwrap_or_default(), first, second, third, fourth, coding, 0, 0, 0])
}

/// MCS and streams in one octet, and the coding, of each user.
fn vht_users(row: &Row<'_>) -> Option<[(u8, u8); 4]> {
    const RADIOTAP: [[Field; 3]; 4] = [
        [Field::VhtMcs0, Field::VhtNss0, Field::VhtCoding0],
        [Field::VhtMcs1, Field::VhtNss1, Field::VhtCoding1],
        [Field::VhtMcs2, Field::VhtNss2, Field::VhtCoding2],
        [Field::VhtMcs3, Field::VhtNss3, Field::VhtCoding3],
    ];
    let user = |[mcs, nss, coding]: [Field; 3]| {
        let (mcs, nss) = (row.number::<u8>(mcs)?, row.number::<u8>(nss)?);
        Some((mcs << 4 | nss & 0x0f, row.number(coding).unwrap_or_default()))
    };
    if row.text(Field::Vht).is_some() {
        return Some(RADIOTAP.map(|fields| user(fields).unwrap_or_default()));
    }
    let only = user([Field::RadioVhtMcs, Field::RadioVhtNss, Field::RadioVhtFec])?;
    Some([only, (0, 0), (0, 0), (0, 0)])
}

fn he(row: &Row<'_>) -> Option<[u8; 12]> {
    let word = |field| row.number::<u16>(field).unwrap_or_default();
    let first = row.number(Field::He1)?;
    let rest = [Field::He2, Field::He3, Field::He4, Field::He5, Field::He6].map(word);
    let [second, third, fourth, fifth, sixth] = rest;
    Some(words([first, second, third, fourth, fifth, sixth]))
}

/// The two flags words; the resource units of the other users are omitted.
fn he_mu(row: &Row<'_>) -> Option<[u8; 12]> {
    Some(words([row.number(Field::HeMuFlags1)?, row.number(Field::HeMuFlags2)?, 0, 0, 0, 0]))
}

fn l_sig(row: &Row<'_>) -> Option<[u8; 4]> {
    Some(words([row.number(Field::LSig1)?, row.number(Field::LSig2)?]))
}

/// Little-endian octets of 16-bit words.
fn words<const WORDS: usize, const OCTETS: usize>(words: [u16; WORDS]) -> [u8; OCTETS] {
    let mut octets = [0; OCTETS];
    for (pair, word) in octets.chunks_exact_mut(2).zip(words) {
        pair.copy_from_slice(&word.to_le_bytes());
    }
    octets
}

/// Signal per antenna: the signals with an antenna number. A first signal without one is the total over all antennas.
fn antenna_signals(row: &Row<'_>) -> AntennaSignals {
    let mut signals = AntennaSignals::default();
    let (recorded, antennas) = (row.all(Field::AntennaSignal).count(), row.all(Field::Antenna).count());
    if recorded > 1 {
        let values = row.all(Field::AntennaSignal).skip(usize::from(recorded > antennas));
        values.filter_map(|text| text.parse().ok()).for_each(|dbm| signals.push(dbm));
    }
    signals
}
