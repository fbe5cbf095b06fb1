//! Capabilities announced in management frames, from Wireshark's dissection.
//!
//! Wireshark has no fields for the EDCA Parameter Set element (IEEE 802.11-2020, 9.4.2.28). The WMM parameter element
//! sent by access points has the same content and is used instead.

use super::fields::Field;
use super::row::Row;
use crate::frame::capabilities::{
    streams_of, Capabilities, CapabilityInformation, EdcaParameters, ErpInformation, HeCapabilities, HtCapabilities,
    VhtCapabilities,
};
use crate::frame::country::Country;
use crate::frame::{Frame, FrameKind};
use crate::ieee80211::dot11::elements::extension;

/// The capabilities in a management frame that announces any. If an element is repeated, the first is used.
pub(super) fn decode(row: &Row<'_>, frame: &Frame) -> Option<Capabilities> {
    use FrameKind::{AssocReq, AssocResp, Beacon, ProbeResp, ReassocReq, ReassocResp};
    let announces = matches!(frame.kind, AssocReq | AssocResp | Beacon | ProbeResp | ReassocReq | ReassocResp);
    if !announces || frame.flags.is_some_and(|flags| flags.protected) {
        return None;
    }
    Some(Capabilities {
        information: CapabilityInformation(row.number(Field::CapabilityInformation)?),
        country: country(row),
        erp: row.number(Field::Erp).map(ErpInformation),
        edca: edca(row),
        ht: ht(row),
        ht_protection: row.number(Field::HtOperation2).map(|octets: u16| (octets & 0x03) as u8),
        vht: vht(row),
        he: he(row),
        eht: numbers(row, Field::ExtensionTag).any(|number| number == u64::from(extension::EHT_CAPABILITIES)),
    })
}

fn country(row: &Row<'_>) -> Option<Country> {
    let code: [u8; 2] = row.text(Field::CountryCode)?.as_bytes().try_into().ok()?;
    let mut found = Country::new(code, row.number(Field::CountryEnvironment)?)?;
    let bands = numbers(row, Field::CountryFirstChannel).zip(numbers(row, Field::CountryChannels));
    let powers = row.all(Field::CountryMaxPower).map_while(|text| text.parse().ok());
    for ((first_channel, channels), max_dbm) in bands.zip(powers) {
        found.push(u8::try_from(first_channel).ok()?, u8::try_from(channels).ok()?, max_dbm);
    }
    Some(found)
}

/// The records of the four access categories; each contains its ACI.
fn edca(row: &Row<'_>) -> Option<[EdcaParameters; 4]> {
    let mut categories = [None; 4];
    let [aci, aifsn, exponents, limits] =
        [Field::WmmAci, Field::WmmAifsn, Field::WmmExponents, Field::WmmTxopLimit].map(|field| numbers(row, field));
    for (((aci, aifsn), exponents), limit) in aci.zip(aifsn).zip(exponents).zip(limits).take(categories.len()) {
        let parameters = EdcaParameters {
            aifsn: u8::try_from(aifsn).ok()?,
            exponents: u8::try_from(exponents).ok()?,
            txop_limit: u16::try_from(limit).ok()?,
        };
        *categories.get_mut(usize::try_from(aci).ok()?)? = Some(parameters);
    }
    let [be, bk, vi, vo] = categories;
    Some([be?, bk?, vi?, vo?])
}

fn ht(row: &Row<'_>) -> Option<HtCapabilities> {
    let mut streams = 0;
    for field in [Field::HtMcs0, Field::HtMcs8, Field::HtMcs16, Field::HtMcs24] {
        streams += u8::from(row.number::<u64>(field)? != 0);
    }
    let (information, ampdu) = (row.number(Field::HtInformation)?, row.number(Field::HtAmpdu)?);
    Some(HtCapabilities { information, ampdu, streams })
}

fn vht(row: &Row<'_>) -> Option<VhtCapabilities> {
    let (information, map) = (row.number(Field::VhtInformation)?, row.number(Field::VhtMcsMap)?);
    Some(VhtCapabilities { information, streams: streams_of(map) })
}

fn he(row: &Row<'_>) -> Option<HeCapabilities> {
    let (ampdu_extension, map) = (row.number(Field::HeAmpduExtension)?, row.number(Field::HeMcsMap)?);
    Some(HeCapabilities { ampdu_extension, streams: streams_of(map) })
}

/// Every value of a field, up to the first that is not a number.
fn numbers<'a>(row: &Row<'a>, field: Field) -> impl Iterator<Item = u64> + 'a {
    row.all(field).map_while(super::row::number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_a_beacon() {
        let fields = [
            (Field::CapabilityInformation, "0x0431"),
            (Field::CountryCode, "DE"),
            (Field::CountryEnvironment, "32"),
            (Field::CountryFirstChannel, "1\u{1f}36"),
            (Field::CountryChannels, "13\u{1f}4"),
            (Field::CountryMaxPower, "20\u{1f}-1"),
            (Field::Erp, "0x06"),
            (Field::WmmAci, "0\u{1f}1\u{1f}2\u{1f}3"),
            (Field::WmmAifsn, "3\u{1f}7\u{1f}2\u{1f}2"),
            (Field::WmmExponents, "0xa4\u{1f}0xa4\u{1f}0x43\u{1f}0x32"),
            (Field::WmmTxopLimit, "0\u{1f}0\u{1f}94\u{1f}47"),
            (Field::HtInformation, "0x09ef"),
            (Field::HtAmpdu, "0x17"),
            (Field::HtMcs0, "0xff"),
            (Field::HtMcs8, "0xff"),
            (Field::HtMcs16, "0x00"),
            (Field::HtMcs24, "0x00"),
            (Field::HtOperation2, "0x0007"),
            (Field::VhtInformation, "0x0f825992"),
            (Field::VhtMcsMap, "0xfffa"),
            (Field::ExtensionTag, "35\u{1f}108"),
            (Field::HeAmpduExtension, "3"),
            (Field::HeMcsMap, "0xfffa"),
        ];
        let line = fields.map(|(_, text)| text).join("\t");
        let printed = fields.map(|(field, _)| field);
        let row = Row::new(&line, &printed);
        let beacon = Frame { kind: FrameKind::Beacon, ..Frame::new(1, 0) };
        let found = decode(&row, &beacon).unwrap();
        assert!(found.information.ess() && found.information.short_slot());
        assert!(found.erp.unwrap().use_protection() && found.erp.unwrap().barker_preamble());
        let country = found.country.unwrap();
        assert_eq!((country.code(), country.environment()), (*b"DE", Some("any")));
        assert_eq!((country.first_channels(), country.max_dbm()), (&[1, 36][..], &[20, -1][..]));
        let [be, _, vi, vo] = found.edca.unwrap();
        assert_eq!((be.aifsn, be.cw_max(), vi.txop_limit_us(), vo.cw_min()), (3, 1023, 3008, 3));
        assert_eq!((found.ht.unwrap().streams, found.ht_protection, found.eht), (2, Some(3), true));
        assert_eq!((found.streams(), found.ampdu_max_bytes()), (Some(2), Some((1 << 23) - 1)));
        assert_eq!(decode(&row, &Frame { kind: FrameKind::ProbeReq, ..beacon }), None);
    }

    #[test]
    fn what_was_not_captured_is_unknown() {
        let printed = [Field::CapabilityInformation, Field::HtInformation, Field::WmmAci];
        let row = Row::new("0x0001\t0x09ef\t0\u{1f}1", &printed);
        let found = decode(&row, &Frame { kind: FrameKind::Beacon, ..Frame::new(1, 0) }).unwrap();
        assert_eq!((found.ht, found.edca, found.erp, found.he, found.eht), (None, None, None, None, false));
    }
}
