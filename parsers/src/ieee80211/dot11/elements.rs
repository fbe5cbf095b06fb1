//! Elements of management frame bodies (IEEE 802.11-2020, 9.4.2).

use crate::base::octets::u8_at;

/// Element IDs (table 9-92).
pub(crate) mod id {
    pub const DSSS_PARAMETER_SET: u8 = 3;
    pub const COUNTRY: u8 = 7;
    pub const EDCA_PARAMETER_SET: u8 = 12;
    pub const ERP: u8 = 42;
    pub const HT_CAPABILITIES: u8 = 45;
    pub const HT_OPERATION: u8 = 61;
    pub const VHT_CAPABILITIES: u8 = 191;
    pub const VHT_OPERATION: u8 = 192;
    pub const VENDOR_SPECIFIC: u8 = 221;
    pub const EXTENSION: u8 = 255;
}

/// Element ID extensions (table 9-92; EHT: 802.11be-2024).
pub(crate) mod extension {
    pub const HE_CAPABILITIES: u8 = 35;
    pub const HE_OPERATION: u8 = 36;
    pub const EHT_OPERATION: u8 = 106;
    pub const EHT_CAPABILITIES: u8 = 108;
}

/// An element: its ID and the octets after the Length field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element<'a> {
    pub id: u8,
    pub body: &'a [u8],
}

/// Iterates over the elements, up to the first truncated one.
pub(super) fn elements(octets: &[u8]) -> impl Iterator<Item = Element<'_>> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        let (id, length) = (u8_at(rest, 0)?, usize::from(u8_at(rest, 1)?));
        let body = rest.get(2..2 + length)?;
        rest = rest.get(2 + length..)?;
        Some(Element { id, body })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_element_ends_the_list() {
        let octets = [0, 1, b'a', 42, 0, 7, 3, 1, 2];
        let found: Vec<_> = elements(&octets).collect();
        assert_eq!(found, [Element { id: 0, body: b"a" }, Element { id: 42, body: b"" }]);
        assert_eq!(elements(&[]).count(), 0);
    }
}
