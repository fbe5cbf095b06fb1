//! Converts the fields of older capture headers to an equivalent radiotap header.
//!
//! The fields of Prism, AVS and PPI headers are subsets of radiotap's. The conversion lets all of them share the
//! radiotap decoder.

use crate::frame::{Frame, ParseError, Phy};
use crate::ieee80211::radiotap;

/// Flags field: short preamble.
pub(super) const SHORT_PREAMBLE: u8 = 0x02;
/// Flags field: the record ends with the FCS.
pub(super) const FCS_AT_END: u8 = 0x10;
/// Flags field: the receiver reported a bad FCS.
pub(super) const BAD_FCS: u8 = 0x40;

/// The fields of the older headers, in radiotap units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Radio {
    /// Length of the original header.
    pub header_bytes: usize,
    pub tsft_us: Option<u64>,
    pub flags: u8,
    /// Whether `flags` declare FCS presence.
    pub tells_fcs: bool,
    /// Whether `flags` declare the preamble length.
    pub tells_preamble: bool,
    pub rate_500k: Option<u8>,
    /// Frequency in MHz, and radiotap's channel flags.
    pub channel: Option<(u16, u16)>,
    pub signal_dbm: Option<i8>,
    pub noise_dbm: Option<i8>,
    pub is_sent: bool,
    /// Known, flags and index octets of radiotap's MCS field.
    pub mcs: Option<[u8; 3]>,
    pub ampdu_ref: Option<u32>,
    pub vht: Option<Vht>,
    pub he: Option<He>,
}

/// Modulation of a VHT PPDU of one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vht {
    pub mcs: u8,
    pub nss: u8,
    /// Bandwidth, in doublings of 20 MHz, at most 3.
    pub doublings: u8,
    pub short_gi: Option<bool>,
}

/// Modulation of an HE SU PPDU whose guard interval is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct He {
    pub mcs: u8,
    pub nss: u8,
    /// Bandwidth, in doublings of 20 MHz, at most 3.
    pub doublings: u8,
}

impl Radio {
    /// Fills the radio columns of `frame`.
    pub fn apply(&self, frame: &mut Frame) -> Result<radiotap::Header, ParseError> {
        let header = radiotap::decode(&self.radiotap(), frame)?;
        if !self.tells_preamble && matches!(frame.phy, Some(Phy::Dsss | Phy::HrDsss)) {
            frame.preamble = None;
        }
        let flags = header.flags.filter(|_| self.tells_fcs);
        Ok(radiotap::Header { length: self.header_bytes, flags, ..header })
    }

    /// The equivalent radiotap header.
    fn radiotap(&self) -> Vec<u8> {
        let mut fields = Fields { octets: Vec::with_capacity(64), present: 0 };
        fields.octets.extend([0; 8]);
        let channel = self.channel.map(|(mhz, flags)| (u32::from(flags) << 16 | u32::from(mhz)).to_le_bytes());
        fields.add(0, 8, self.tsft_us.map(u64::to_le_bytes));
        fields.add(1, 1, Some([self.flags]));
        fields.add(2, 1, self.rate_500k.map(|rate| [rate]));
        fields.add(3, 2, channel);
        fields.add(5, 1, self.signal_dbm.map(i8::to_le_bytes));
        fields.add(6, 1, self.noise_dbm.map(i8::to_le_bytes));
        fields.add(15, 2, self.is_sent.then_some([0; 2]));
        fields.add(19, 1, self.mcs);
        let ampdu = self.ampdu_ref.map(|number| u64::from(number).to_le_bytes());
        fields.add(20, 4, ampdu);
        fields.add(21, 2, self.vht.map(Vht::field));
        fields.add(23, 2, self.he.map(He::field));
        fields.finish()
    }
}

impl Vht {
    /// Radiotap's VHT field: known, flags, bandwidth, MCS and NSS of four users, coding, group, partial AID.
    fn field(self) -> [u8; 12] {
        const BANDWIDTH_KNOWN: u8 = 0x40;
        const GI_KNOWN: u8 = 0x04;
        const SHORT_GI: u8 = 0x04;
        let known = BANDWIDTH_KNOWN | if self.short_gi.is_some() { GI_KNOWN } else { 0 };
        let flags = if self.short_gi == Some(true) { SHORT_GI } else { 0 };
        let bandwidth = [0, 1, 4, 11].get(usize::from(self.doublings)).copied().unwrap_or_default();
        [known, 0, flags, bandwidth, self.mcs << 4 | self.nss & 0x0f, 0, 0, 0, 0, 0, 0, 0]
    }
}

impl He {
    /// Radiotap's HE field, data1 to data6: an SU PPDU with MCS and bandwidth known.
    fn field(self) -> [u8; 12] {
        const MCS_KNOWN: u16 = 0x0020;
        const BANDWIDTH_KNOWN: u16 = 0x4000;
        let [low, high] = (MCS_KNOWN | BANDWIDTH_KNOWN).to_le_bytes();
        [low, high, 0, 0, 0, self.mcs & 0x0f, 0, 0, self.doublings, 0, self.nss & 0x0f, 0]
    }
}

/// A radiotap header under construction; its first eight octets are written last.
struct Fields {
    octets: Vec<u8>,
    present: u32,
}

impl Fields {
    fn add<const N: usize>(&mut self, bit: u32, align: usize, value: Option<[u8; N]>) {
        let Some(value) = value else { return };
        self.present |= 1 << bit;
        self.octets.resize(self.octets.len().next_multiple_of(align), 0);
        self.octets.extend(value);
    }

    fn finish(mut self) -> Vec<u8> {
        let [low, high, ..] = self.octets.len().to_le_bytes();
        let [a, b, c, d] = self.present.to_le_bytes();
        for (octet, value) in self.octets.iter_mut().zip([0, 0, low, high, a, b, c, d]) {
            *octet = value;
        }
        self.octets
    }
}

/// Centre frequency of a channel number in the 2.4 and 5 GHz bands (IEEE 802.11-2020, annex E), and
/// radiotap's flag for the band.
pub(super) fn channel(number: u32) -> Option<(u16, u16)> {
    let mhz = match u16::try_from(number).ok()? {
        14 => 2484,
        number @ 1..=13 => 2407 + 5 * number,
        number @ 30..=196 => 5000 + 5 * number,
        _ => return None,
    };
    Some((mhz, radiotap::band_flag(mhz)))
}

/// A power in dBm, or `None` if the value is implausible.
pub(super) fn dbm(value: i32) -> Option<i8> {
    i8::try_from(value).ok().filter(|&dbm| dbm < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_reaches_its_column() {
        let radio = Radio {
            header_bytes: 144,
            tsft_us: Some(77),
            flags: SHORT_PREAMBLE,
            tells_preamble: true,
            rate_500k: Some(22),
            channel: channel(6),
            signal_dbm: dbm(-40),
            noise_dbm: dbm(-95),
            is_sent: true,
            ..Radio::default()
        };
        let mut frame = Frame::new(1, 0);
        let header = radio.apply(&mut frame).unwrap();
        assert_eq!((header.length, header.flags), (144, None));
        assert_eq!((frame.tsft_us, frame.rate_mbps, frame.channel_mhz), (Some(77), Some(11.0), Some(2437)));
        assert_eq!((frame.signal_dbm, frame.noise_dbm), (Some(-40), Some(-95)));
        assert_eq!(frame.direction, Some(crate::frame::Direction::Tx));
        assert_eq!(frame.preamble, Some(crate::frame::Preamble::Short));
    }

    #[test]
    fn nothing_known_says_nothing() {
        let mut frame = Frame::new(1, 0);
        Radio::default().apply(&mut frame).unwrap();
        assert_eq!(frame, Frame::new(1, 0));
        assert_eq!((channel(0), channel(15), channel(70_000), dbm(40)), (None, None, None, None));
    }
}
