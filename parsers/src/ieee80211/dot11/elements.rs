//! Elements of management frame bodies (IEEE 802.11-2020, 9.4.2).

use crate::base::octets::u8_at;

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
