//! Capabilities from the bodies of management frames (IEEE 802.11-2020, 9.3.3 and 9.4.2).

use super::elements::{elements, extension, id, Element};
use crate::base::octets::{array_at, u16_at, u32_at, u8_at};
use crate::frame::capabilities::{
    streams_of, Capabilities, CapabilityInformation, EdcaParameters, ErpInformation, HeCapabilities, HtCapabilities,
    VhtCapabilities,
};
use crate::frame::country::Country;

/// OUI, type, subtype and version of the WMM parameter element (Wi-Fi WMM specification, 2.2.2).
const WMM_PARAMETER: [u8; 6] = [0x00, 0x50, 0xf2, 0x02, 0x01, 0x01];

/// QoS Info and the octet after it, before the records of the access categories.
const BEFORE_RECORDS: usize = 2;
const RECORD_BYTES: usize = 4;

/// The capabilities in a frame with this Capability Information field and these elements. If an element is repeated,
/// the first is used.
pub(super) fn decode(information: u16, octets: &[u8]) -> Capabilities {
    let mut found = Capabilities::new(CapabilityInformation(information));
    let mut wmm = None;
    for Element { id, body } in elements(octets) {
        match id {
            id::COUNTRY => found.country = found.country.or_else(|| country(body)),
            id::EDCA_PARAMETER_SET => found.edca = found.edca.or_else(|| edca(body)),
            id::ERP => found.erp = found.erp.or_else(|| u8_at(body, 0).map(ErpInformation)),
            id::HT_CAPABILITIES => found.ht = found.ht.or_else(|| ht(body)),
            id::HT_OPERATION => found.ht_protection = found.ht_protection.or_else(|| ht_protection(body)),
            id::VHT_CAPABILITIES => found.vht = found.vht.or_else(|| vht(body)),
            id::VENDOR_SPECIFIC => wmm = wmm.or_else(|| edca(body.strip_prefix(&WMM_PARAMETER)?)),
            id::EXTENSION => match body.split_first() {
                Some((&extension::HE_CAPABILITIES, body)) => found.he = found.he.or_else(|| he(body)),
                Some((&extension::EHT_CAPABILITIES, _)) => found.eht = true,
                _ => {}
            },
            _ => {}
        }
    }
    found.edca = found.edca.or(wmm);
    found
}

/// Country String (3 octets), then triplets: a subband, or an operating class with a first octet above 200 (figures 9-131
/// to 9-133). The shortest element has one triplet; an octet of padding may follow the last.
fn country(body: &[u8]) -> Option<Country> {
    const SHORTEST: usize = 6;
    const OPERATING_EXTENSIONS: u8 = 201;
    let [first, second, environment] = array_at::<3>(body, 0).filter(|_| body.len() >= SHORTEST)?;
    let mut found = Country::new([first, second], environment)?;
    for triplet in body.get(3..)?.chunks_exact(3) {
        let [first_channel, channels, max_dbm] = array_at::<3>(triplet, 0)?;
        if first_channel < OPERATING_EXTENSIONS {
            found.push(first_channel, channels, i8::from_le_bytes([max_dbm]));
        }
    }
    Some(found)
}

/// The records of the four access categories; each contains its ACI (figure 9-305).
fn edca(body: &[u8]) -> Option<[EdcaParameters; 4]> {
    let mut categories = [None; 4];
    for record in body.get(BEFORE_RECORDS..)?.chunks_exact(RECORD_BYTES).take(categories.len()) {
        let [aci_aifsn, exponents, low, high] = array_at::<RECORD_BYTES>(record, 0)?;
        let aci = usize::from(aci_aifsn >> 5 & 0x03);
        let parameters =
            EdcaParameters { aifsn: aci_aifsn & 0x0f, exponents, txop_limit: u16::from_le_bytes([low, high]) };
        *categories.get_mut(aci)? = Some(parameters);
    }
    let [be, bk, vi, vo] = categories;
    Some([be?, bk?, vi?, vo?])
}

/// Information, A-MPDU Parameters, and of the Supported MCS Set one octet for each of four streams.
fn ht(body: &[u8]) -> Option<HtCapabilities> {
    let mcs = array_at::<4>(body, 3)?;
    let streams = mcs.iter().map(|&octet| u8::from(octet != 0)).sum();
    Some(HtCapabilities { information: u16_at(body, 0)?, ampdu: u8_at(body, 2)?, streams })
}

/// The HT Protection field opens the third octet.
fn ht_protection(body: &[u8]) -> Option<u8> {
    u8_at(body, 2).map(|octet| octet & 0x03)
}

fn vht(body: &[u8]) -> Option<VhtCapabilities> {
    Some(VhtCapabilities { information: u32_at(body, 0)?, streams: streams_of(u16_at(body, 4)?) })
}

/// HE MAC Capabilities Information (6 octets), HE PHY Capabilities Information (11), Rx HE-MCS Map.
fn he(body: &[u8]) -> Option<HeCapabilities> {
    const MCS_MAP: usize = 6 + 11;
    let ampdu_extension = u8_at(body, 3)? >> 3 & 0x03;
    Some(HeCapabilities { ampdu_extension, streams: streams_of(u16_at(body, MCS_MAP)?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDS: [u8; 18] = [0, 0, 0x03, 0xa4, 0, 0, 0x27, 0xa4, 0, 0, 0x42, 0x43, 94, 0, 0x62, 0x32, 47, 0];

    fn element(id: u8, body: &[u8]) -> Vec<u8> {
        [&[id, body.len() as u8], body].concat()
    }

    #[test]
    fn an_edca_parameter_set_comes_before_wmm_and_names_its_categories() {
        let [be, bk, vi, vo] = decode(0, &element(12, &RECORDS)).edca.unwrap();
        assert_eq!([be.aifsn, bk.aifsn, vi.aifsn, vo.aifsn], [3, 7, 2, 2]);
        assert_eq!([be.cw_min(), bk.cw_min(), vi.cw_min(), vo.cw_min()], [15, 15, 7, 3]);
        assert_eq!([vi.txop_limit_us(), vo.txop_limit_us()], [3008, 1504]);
        let mut other = RECORDS;
        other[2] = 0x05;
        let wmm = element(221, &[&WMM_PARAMETER[..], &other].concat());
        assert_eq!(decode(0, &wmm).edca.unwrap()[0].aifsn, 5);
        assert_eq!(decode(0, &[wmm, element(12, &RECORDS)].concat()).edca.unwrap()[0].aifsn, 3);
    }

    #[test]
    fn a_country_has_its_subbands_and_no_operating_classes() {
        let country = |body: &[u8]| decode(0, &element(7, body)).country;
        let found = country(b"DE \x01\x0d\x14\xc9\x04\x00\x24\x04\xff\x00").unwrap();
        assert_eq!((found.code(), found.environment()), (*b"DE", Some("any")));
        assert_eq!((found.first_channels(), found.channels()), (&[1, 36][..], &[13, 4][..]));
        assert_eq!(found.max_dbm(), [20, -1]);
        assert_eq!((country(b"DE \x01\x0d"), country(b"D\0 \x01\x0d\x14")), (None, None));
    }

    #[test]
    fn a_set_without_all_categories_is_none() {
        let mut twice = RECORDS;
        twice[6] = 0x03;
        assert_eq!(decode(0, &element(12, &twice)).edca, None);
        assert_eq!(decode(0, &element(12, &RECORDS[..10])).edca, None);
        let information = element(221, &[0x00, 0x50, 0xf2, 0x02, 0x00, 0x01, 0x00]);
        assert_eq!(decode(0, &information).edca, None);
    }

    #[test]
    fn octets_of_any_length_and_content_are_read() {
        for id in [7, 12, 42, 45, 61, 191, 221, 255] {
            for length in 0..=64 {
                for fill in [0x00, 0x23, 0xff] {
                    let octets = element(id, &vec![fill; length]);
                    for end in 0..=octets.len() {
                        decode(0xffff, &octets[..end]);
                    }
                }
            }
        }
    }

    #[test]
    fn streams_of_ht_are_octets_of_the_mcs_set() {
        let mut body = [0_u8; 26];
        (body[0], body[2], body[3], body[4]) = (0xef, 0x17, 0xff, 0xff);
        let found = decode(0x0421, &element(45, &body));
        assert_eq!(found.streams(), Some(2));
        assert!(found.information.short_slot() && found.information.short_preamble() && found.information.ess());
    }
}
