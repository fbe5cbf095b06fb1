//! Options at the end of pcapng blocks: code, length and value, padded to 32 bits.

use crate::base::octets::array_at;
use crate::sources::pcap::byte_order::ByteOrder;

/// `shb_userappl`, in a section header.
pub(super) const USER_APPLICATION: u16 = 4;
/// `epb_flags`, and `pack_flags` of the obsolete block.
pub(super) const FLAGS: u16 = 2;
/// `if_name`, in an interface description, like the options below.
pub(super) const NAME: u16 = 2;
/// `if_tsresol`.
pub(super) const TIME_RESOLUTION: u16 = 9;
/// `if_fcslen`.
pub(super) const FCS_LENGTH: u16 = 13;
/// `if_tsoffset`.
pub(super) const TIME_OFFSET: u16 = 14;

/// The options of a block, up to the end marker or the first option that exceeds the block.
pub(super) struct Options<'a> {
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Options<'a> {
    pub fn new(octets: &'a [u8], order: ByteOrder) -> Options<'a> {
        Options { rest: octets, order }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let code = self.order.u16(array_at(self.rest, 0)?);
        let length = usize::from(self.order.u16(array_at(self.rest, 2)?));
        let value = self.rest.get(4..4 + length)?;
        self.rest = self.rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        (code != 0).then_some((code, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_end_at_their_end_or_where_they_do_not_fit() {
        let order = ByteOrder::default();
        let read =
            |octets: &[u8]| Options::new(octets, order).map(|(code, value)| (code, value.to_vec())).collect::<Vec<_>>();
        let octets = [2, 0, 3, 0, b'w', b'l', b'0', 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7];
        assert_eq!(read(&octets), [(2, b"wl0".to_vec()), (9, vec![9])]);
        assert_eq!(read(&octets[..15]), [(2, b"wl0".to_vec()), (9, vec![9])]);
        assert_eq!(read(&octets[..12]), [(2, b"wl0".to_vec())]);
        assert_eq!(read(&[2, 0, 0xff, 0xff, 1, 2]), []);
        assert_eq!(read(&[]), []);
    }
}
