//! The elements that tell the channel of a BSS (IEEE 802.11-2020, 9.4.2).

use super::elements::{elements, extension, id, Element};
use crate::base::octets::{array_at, u16_at};
use crate::frame::operating_channel::{AnnouncedChannel, HtOperation, WideOperation};

/// What is left over behind the last element may be padding, or an FCS that nobody told of: it is shorter than any
/// element that tells of a wider channel.
const NO_ELEMENT_BYTES: usize = 4;

/// What the elements of a beacon or probe response say of the channel; `is_whole`: they were captured to their end. If
/// an element is repeated, the first is used.
pub(super) fn announced(octets: &[u8], is_whole: bool) -> AnnouncedChannel {
    let mut found = AnnouncedChannel::default();
    let (mut read, mut too_short, mut vht_in_he) = (0, false, None);
    let mut note = |is_present: bool| too_short |= !is_present;
    for Element { id, body } in elements(octets) {
        read += 2 + body.len();
        match id {
            id::DSSS_PARAMETER_SET => found.dsss = found.dsss.or_else(|| body.first().copied()),
            id::HT_OPERATION if found.ht.is_none() => {
                found.ht = ht(body);
                note(found.ht.is_some());
            }
            id::VHT_OPERATION if found.vht.is_none() => {
                found.vht = wide(body, 0);
                note(found.vht.is_some());
            }
            id::EXTENSION => match body.split_first() {
                Some((&extension::HE_OPERATION, body)) if found.he_6ghz.is_none() && vht_in_he.is_none() => {
                    let of_he = he(body);
                    note(of_he.is_some());
                    let OfHe { vht, in_6ghz } = of_he.unwrap_or_default();
                    (vht_in_he, found.he_6ghz) = (vht, in_6ghz);
                }
                Some((&extension::EHT_OPERATION, body)) if found.eht.is_none() => {
                    let of_eht = eht(body);
                    note(of_eht.is_some());
                    found.eht = of_eht.flatten();
                }
                _ => {}
            },
            _ => {}
        }
    }
    found.vht = found.vht.or(vht_in_he);
    found.incomplete = too_short || !is_whole || octets.len() > read + NO_ELEMENT_BYTES;
    found
}

/// Primary Channel; Secondary Channel Offset and STA Channel Width; behind the protection fields a segment (9.4.2.56).
fn ht(body: &[u8]) -> Option<HtOperation> {
    let [primary, subset] = array_at::<2>(body, 0)?;
    let segment_2 = (u16_at(body, 2)? >> 5 & 0xff) as u8;
    Some(HtOperation { primary, offset: subset & 0x03, wide: subset & 0x04 != 0, segment_2 })
}

/// Channel Width and two segments (9.4.2.158).
fn wide(body: &[u8], at: usize) -> Option<WideOperation> {
    let [width, segments @ ..] = array_at::<3>(body, at)?;
    Some(WideOperation { width, segments })
}

/// What the HE Operation element tells of the channel.
#[derive(Default)]
struct OfHe {
    vht: Option<WideOperation>,
    in_6ghz: Option<(u8, WideOperation)>,
}

/// Parts of the HE Operation element that its parameters announce: the fields of VHT Operation, and those of 6 GHz
/// (802.11ax-2021, 9.4.2.249). `None`: the element is too short for what it announces.
fn he(body: &[u8]) -> Option<OfHe> {
    /// HE Operation Parameters, BSS Color Information, Basic HE-MCS And NSS Set.
    const FIXED: usize = 3 + 1 + 2;
    const VHT_BYTES: usize = 3;
    const VHT_PRESENT: u16 = 1 << 14;
    const CO_HOSTED_BSS: u16 = 1 << 15;
    const PRESENT_6GHZ: u8 = 1 << 1;
    let [low, high, third] = array_at::<3>(body, 0)?;
    let parameters = u16::from_le_bytes([low, high]);
    let mut at = FIXED;
    let mut vht = None;
    if parameters & VHT_PRESENT != 0 {
        vht = Some(wide(body, at)?);
        at += VHT_BYTES;
    }
    at += usize::from(parameters & CO_HOSTED_BSS != 0);
    if third & PRESENT_6GHZ == 0 {
        return Some(OfHe { vht, in_6ghz: None });
    }
    let [primary, control, segments @ ..] = array_at::<4>(body, at)?;
    Some(OfHe { vht, in_6ghz: Some((primary, WideOperation { width: control & 0x03, segments })) })
}

/// EHT Operation Information, if the element has it (802.11be-2024, 9.4.2.321). `None`: the element is too short.
fn eht(body: &[u8]) -> Option<Option<WideOperation>> {
    /// EHT Operation Parameters, Basic EHT-MCS And NSS Set.
    const FIXED: usize = 1 + 4;
    const INFORMATION_PRESENT: u8 = 0x01;
    if body.first()? & INFORMATION_PRESENT == 0 {
        return Some(None);
    }
    let told = wide(body, FIXED)?;
    Some(Some(WideOperation { width: told.width & 0x07, ..told }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(id: u8, body: &[u8]) -> Vec<u8> {
        [&[id, body.len() as u8], body].concat()
    }

    fn told(octets: &[u8]) -> Option<(u16, u16, u16)> {
        let channel = announced(octets, true).channel(None)?;
        let (width, centre) = channel.span.map_or((0, 0), |span| (span.width_mhz, span.centre_mhz));
        Some((channel.primary_mhz, width, centre))
    }

    fn ht_operation(primary: u8, subset: u8) -> Vec<u8> {
        element(61, &[&[primary, subset], [0; 20].as_slice()].concat())
    }

    #[test]
    fn elements_of_each_phy() {
        let ht = ht_operation(44, 0x05);
        assert_eq!(told(&[element(3, &[44]), ht.clone()].concat()), Some((5220, 40, 5230)));
        let vht = [ht.clone(), element(192, &[1, 42, 50, 0, 0])].concat();
        assert_eq!(told(&vht), Some((5220, 160, 5250)));
        let by_segment_2 = element(61, &[&[44, 0x05, 0x40, 0x06], [0; 18].as_slice()].concat());
        assert_eq!(told(&[by_segment_2, element(192, &[1, 42, 0, 0, 0])].concat()), Some((5220, 160, 5250)));
        let in_he = [ht.clone(), element(255, &[36, 0, 0x40, 0, 0, 0, 0, 1, 42, 0])].concat();
        assert_eq!(told(&in_he), Some((5220, 80, 5210)));
        let eht = [vht, element(255, &[106, 1, 0, 0, 0, 0, 3, 42, 50])].concat();
        assert_eq!(told(&eht), Some((5220, 160, 5250)));
        assert_eq!(told(&element(0, b"net")), None);
    }

    #[test]
    fn he_operation_has_its_parts_where_its_parameters_say() {
        for (parameters, before) in [([0, 0, 2], 0), ([0, 0x40, 2], 3), ([0, 0x80, 2], 1), ([0, 0xc0, 2], 4)] {
            let body = [&[36][..], &parameters, &[0; 3], &vec![0; before], &[37, 0x03, 39, 47, 6]].concat();
            assert_eq!(told(&element(255, &body)), Some((6135, 160, 6185)), "{parameters:?}");
            let cut = &body[..8 + before];
            assert_eq!(told(&[element(3, &[36]), element(255, cut)].concat()), Some((5180, 0, 0)), "{parameters:?}");
        }
    }

    #[test]
    fn a_cut_list_tells_the_primary_channel_alone() {
        let octets = [element(3, &[36]), ht_operation(36, 0x05), element(192, &[1, 42, 0, 0, 0])].concat();
        assert_eq!(told(&octets), Some((5180, 80, 5210)));
        for end in 0..octets.len() {
            let cut = announced(&octets[..end], false).channel(None);
            assert_eq!(cut.map(|channel| channel.primary_mhz), (end >= 3).then_some(5180), "{end}");
            assert_eq!(cut.and_then(|channel| channel.span), None, "{end}");
        }
        // Of a whole frame the element that the length of another swallows is missing, too.
        assert_eq!(told(&octets[..octets.len() - 2]), Some((5180, 0, 0)));
        assert_eq!(told(&[&octets, [0xde, 0xad, 0xbe, 0xef].as_slice()].concat()), Some((5180, 80, 5210)), "an FCS");
        let too_short = [element(3, &[36]), element(61, &[36, 5])].concat();
        assert_eq!(told(&too_short), Some((5180, 0, 0)));
    }

    #[test]
    fn the_first_of_repeated_elements_counts() {
        let octets = [element(3, &[36]), element(3, &[40]), ht_operation(36, 0), ht_operation(40, 5)].concat();
        assert_eq!(told(&octets), Some((5180, 20, 5180)));
    }

    #[test]
    fn octets_of_any_length_and_content_are_read() {
        for id in [3, 61, 192, 255] {
            for length in 0..=24 {
                for fill in [0x00, 0x24, 0x6a, 0xff] {
                    let octets = element(id, &vec![fill; length]);
                    for end in 0..=octets.len() {
                        announced(&octets[..end], true).channel(Some(2412));
                    }
                }
            }
        }
    }
}
