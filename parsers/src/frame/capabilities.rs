//! Capabilities that stations announce about themselves and their network in management frames.

use super::country::Country;

/// One set of announced capabilities that affect medium access or airtime. Comparable by value.
///
/// `None`: the element is absent or was not captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// Capability Information field (IEEE 802.11-2020, 9.4.1.4).
    pub information: CapabilityInformation,
    /// Country element (9.4.2.8).
    pub country: Option<Country>,
    /// ERP element (9.4.2.11).
    pub erp: Option<ErpInformation>,
    /// EDCA Parameter Set element (9.4.2.28), or the WMM parameter element with the same content; in the
    /// order of the ACI: best effort, background, video, voice.
    pub edca: Option<[EdcaParameters; 4]>,
    /// HT Capabilities element (9.4.2.55).
    pub ht: Option<HtCapabilities>,
    /// HT Protection field of the HT Operation element (9.4.2.56): 0 none, 1 nonmember, 2 20 MHz, 3 mixed.
    pub ht_protection: Option<u8>,
    /// VHT Capabilities element (9.4.2.157).
    pub vht: Option<VhtCapabilities>,
    /// HE Capabilities element (802.11ax-2021, 9.4.2.248).
    pub he: Option<HeCapabilities>,
    /// True if an EHT Capabilities element is present (802.11be-2024, 9.4.2.323).
    pub eht: bool,
}

impl Capabilities {
    /// Those of a frame with this Capability Information field and no elements.
    #[must_use]
    pub const fn new(information: CapabilityInformation) -> Self {
        Self {
            information,
            country: None,
            erp: None,
            edca: None,
            ht: None,
            ht_protection: None,
            vht: None,
            he: None,
            eht: false,
        }
    }
}

/// Capability Information field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CapabilityInformation(pub u16);

impl CapabilityInformation {
    /// Sent by an access point.
    pub const fn ess(self) -> bool {
        self.0 & 0x0001 != 0
    }

    /// Sent by a member of an IBSS.
    pub const fn ibss(self) -> bool {
        self.0 & 0x0002 != 0
    }

    /// Short DSSS preambles are allowed.
    pub const fn short_preamble(self) -> bool {
        self.0 & 0x0020 != 0
    }

    /// The short slot time of 9 us is in use (access point) or supported (station).
    pub const fn short_slot(self) -> bool {
        self.0 & 0x0400 != 0
    }
}

/// ERP element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErpInformation(pub u8);

impl ErpInformation {
    /// A station without ERP is associated.
    pub const fn non_erp_present(self) -> bool {
        self.0 & 0x01 != 0
    }

    /// OFDM frames must be protected.
    pub const fn use_protection(self) -> bool {
        self.0 & 0x02 != 0
    }

    /// Long preambles must be used.
    pub const fn barker_preamble(self) -> bool {
        self.0 & 0x04 != 0
    }
}

/// EDCA parameters of one access category (9.4.2.28).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EdcaParameters {
    /// Number of slots between SIFS and the earliest access.
    pub aifsn: u8,
    /// ECWmin in the low nibble, ECWmax in the high nibble.
    pub exponents: u8,
    /// TXOP limit in units of 32 us; 0 is one frame exchange.
    pub txop_limit: u16,
}

impl EdcaParameters {
    /// CWmin, slots.
    pub const fn cw_min(self) -> u16 {
        window(self.exponents & 0x0f)
    }

    /// CWmax, slots.
    pub const fn cw_max(self) -> u16 {
        window(self.exponents >> 4)
    }

    /// TXOP limit, microseconds.
    pub const fn txop_limit_us(self) -> u32 {
        self.txop_limit as u32 * 32
    }
}

/// 2^ECW - 1; the field has four bits.
const fn window(exponent: u8) -> u16 {
    (1_u16 << (exponent & 0x0f)) - 1
}

/// HT Capabilities element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HtCapabilities {
    /// HT Capability Information field.
    pub information: u16,
    /// A-MPDU Parameters field.
    pub ampdu: u8,
    /// Receive streams that support any MCS.
    pub streams: u8,
}

impl HtCapabilities {
    /// Maximum A-MSDU length, octets.
    pub const fn amsdu_max_bytes(self) -> u32 {
        if self.information & 0x0800 != 0 {
            7935
        } else {
            3839
        }
    }

    /// Maximum A-MPDU length, octets: 2^(13 + exponent) - 1.
    pub const fn ampdu_max_bytes(self) -> u32 {
        (1 << (13 + (self.ampdu & 0x03))) - 1
    }

    /// Minimum MPDU start spacing, microseconds; 0 is no restriction.
    pub fn ampdu_spacing_us(self) -> f64 {
        match self.ampdu >> 2 & 0x07 {
            0 => 0.0,
            exponent => 0.125 * f64::from(1_u16 << exponent),
        }
    }
}

/// VHT Capabilities element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VhtCapabilities {
    /// VHT Capabilities Information field.
    pub information: u32,
    /// Receive streams that support any MCS.
    pub streams: u8,
}

impl VhtCapabilities {
    /// Maximum MPDU length, octets; `None` for the reserved value.
    pub const fn mpdu_max_bytes(self) -> Option<u32> {
        match self.information & 0x03 {
            0 => Some(3895),
            1 => Some(7991),
            2 => Some(11_454),
            _ => None,
        }
    }

    /// Maximum A-MPDU length, octets: 2^(13 + exponent) - 1.
    pub const fn ampdu_max_bytes(self) -> u32 {
        (1 << (13 + self.ampdu_exponent())) - 1
    }

    const fn ampdu_exponent(self) -> u32 {
        self.information >> 23 & 0x07
    }
}

/// HE Capabilities element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeCapabilities {
    /// Maximum A-MPDU Length Exponent Extension field.
    pub ampdu_extension: u8,
    /// Receive streams that support any MCS at up to 80 MHz.
    pub streams: u8,
}

impl Capabilities {
    /// Maximum A-MPDU length of the latest PHY announced, octets.
    ///
    /// HE extends the length exponent of VHT (of HT without VHT) if that has its maximum value (802.11ax-2021, 26.6.1
    /// and table 9-322a).
    pub const fn ampdu_max_bytes(&self) -> Option<u32> {
        let extension = match self.he {
            Some(he) => he.ampdu_extension as u32,
            None => 0,
        };
        match (self.vht, self.ht) {
            (Some(vht), _) if vht.ampdu_exponent() == 7 => Some((1 << (20 + extension)) - 1),
            (Some(vht), _) => Some(vht.ampdu_max_bytes()),
            (None, Some(ht)) if ht.ampdu & 0x03 == 3 => Some((1 << (16 + extension)) - 1),
            (None, Some(ht)) => Some(ht.ampdu_max_bytes()),
            (None, None) => None,
        }
    }

    /// Receive streams of the latest PHY announced.
    pub const fn streams(&self) -> Option<u8> {
        match (self.he, self.vht, self.ht) {
            (Some(he), _, _) => Some(he.streams),
            (None, Some(vht), _) => Some(vht.streams),
            (None, None, Some(ht)) => Some(ht.streams),
            (None, None, None) => None,
        }
    }
}

/// Streams in a VHT or HE MCS map: two bits per stream count 1 to 8, where 3 means unsupported (figure 9-613).
pub(crate) fn streams_of(map: u16) -> u8 {
    (0..8).map(|stream| u8::from(map >> (2 * stream) & 0x03 != 3)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_those_with_an_mcs() {
        assert_eq!([0xffff, 0xfffa, 0x0000].map(streams_of), [0, 2, 8]);
    }

    #[test]
    fn windows_and_lengths_are_powers_of_two_less_one() {
        let edca = EdcaParameters { aifsn: 3, exponents: 0xa4, txop_limit: 94 };
        assert_eq!((edca.cw_min(), edca.cw_max(), edca.txop_limit_us()), (15, 1023, 3008));
        assert_eq!(EdcaParameters { exponents: 0xff, ..edca }.cw_max(), 32_767);
        let ht = HtCapabilities { information: 0x0800, ampdu: 0x17, streams: 2 };
        assert_eq!((ht.amsdu_max_bytes(), ht.ampdu_max_bytes(), ht.ampdu_spacing_us()), (7935, 65_535, 4.0));
        let vht = VhtCapabilities { information: 7 << 23 | 2, streams: 4 };
        assert_eq!((vht.mpdu_max_bytes(), vht.ampdu_max_bytes()), (Some(11_454), 1_048_575));
    }

    #[test]
    fn he_extends_what_vht_or_ht_announce() {
        let none = Capabilities::new(CapabilityInformation(0));
        let ht = Some(HtCapabilities { information: 0, ampdu: 3, streams: 1 });
        let vht = Some(VhtCapabilities { information: 7 << 23, streams: 2 });
        let he = Some(HeCapabilities { ampdu_extension: 3, streams: 4 });
        assert_eq!((none.ampdu_max_bytes(), none.streams()), (None, None));
        assert_eq!(Capabilities { ht, ..none }.ampdu_max_bytes(), Some(65_535));
        assert_eq!(Capabilities { ht, vht, ..none }.ampdu_max_bytes(), Some(1_048_575));
        assert_eq!(Capabilities { ht, vht, he, ..none }.ampdu_max_bytes(), Some(8_388_607));
        assert_eq!(Capabilities { ht, he, ..none }.ampdu_max_bytes(), Some(524_287));
        assert_eq!(Capabilities { ht, he, ..none }.streams(), Some(4));
    }
}
