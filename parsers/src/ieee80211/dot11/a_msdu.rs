//! A-MSDUs (IEEE 802.11-2020, 9.3.2.2): MSDUs behind one MAC header, each with a header of its own.

use crate::ieee80211::constants::{A_MSDU_SUBFRAME_HEADER_BYTES, MSDU_MAX_BYTES};

/// A captured subframe header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subframe {
    /// Its Length field.
    pub length: u32,
    /// Octets of the Mesh Control field, which Length counts and which is no part of the MSDU.
    pub mesh_control: u32,
}

/// Octets of the MSDUs in an A-MSDU of `bytes` octets, by its first subframe headers.
///
/// What is behind the last captured header counts as the fewest MSDUs that it may be: it was cut, or is encrypted. So
/// does the whole where a header says that more follows than there is: it is damaged.
pub(crate) fn msdu_bytes(headers: impl Iterator<Item = Subframe>, bytes: u32) -> u32 {
    let (mut msdus, mut begin) = (0u32, 0u32);
    for header in headers {
        let end = begin.saturating_add(A_MSDU_SUBFRAME_HEADER_BYTES).saturating_add(header.length);
        if end > bytes {
            return fewest(bytes);
        }
        msdus = msdus.saturating_add(header.length.saturating_sub(header.mesh_control));
        begin = end.checked_next_multiple_of(4).unwrap_or(u32::MAX); // padded, except the last
    }
    msdus.saturating_add(fewest(bytes.saturating_sub(begin)))
}

fn fewest(bytes: u32) -> u32 {
    let subframes = bytes.div_ceil(A_MSDU_SUBFRAME_HEADER_BYTES + MSDU_MAX_BYTES);
    bytes.saturating_sub(subframes.saturating_mul(A_MSDU_SUBFRAME_HEADER_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: &[u32], bytes: u32) -> u32 {
        msdu_bytes(lengths.iter().map(|&length| Subframe { length, mesh_control: 0 }), bytes)
    }

    #[test]
    fn headers_and_pads_are_no_msdus() {
        assert_eq!(of(&[36], 14 + 36), 36);
        assert_eq!(of(&[37, 60, 1500], 14 + 37 + 1 + 14 + 60 + 2 + 14 + 1500), 1597);
        assert_eq!(of(&[36], 14 + 36 + 2), 36, "padded, although the last");
        let mesh = [Subframe { length: 42, mesh_control: 6 }];
        assert_eq!(msdu_bytes(mesh.into_iter(), 14 + 42), 36);
    }

    #[test]
    fn what_is_not_readable_is_as_few_msdus_as_can_be() {
        assert_eq!(of(&[], 14 + 1508), 1508);
        assert_eq!(of(&[1508], 1522 + 2 + 1522), 2 * 1508, "cut behind the first header");
        assert_eq!(of(&[], 2318 + 1000), 2304 + 986);
        assert_eq!(of(&[40_000], 500), 486, "no A-MSDU, or a damaged one");
        assert_eq!((of(&[], 0), of(&[], 5), of(&[u32::MAX], 500)), (0, 0, 486));
        assert_eq!(of(&[], u32::MAX), fewest(u32::MAX), "nothing overflows");
    }
}
