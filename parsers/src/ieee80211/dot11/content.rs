//! Hash that identifies a transmission across recordings.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Number of octets hashed. They include the MAC header and the body fields that change from frame to frame: the
/// timestamp of beacons and probe responses, the packet number of protected frames, the identification of IP packets,
/// and the TCP sequence number. Sniffers truncate frames after them.
const OCTETS: usize = 64;

/// Hash of a frame's first octets (without FCS) and of its length on the air without FCS.
pub(super) fn hash(content: &[u8], bytes: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(content.get(..OCTETS).unwrap_or(content));
    hasher.write_u32(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_on_the_air_counts_and_what_was_cut_does_not() {
        let frame: Vec<u8> = (0..200).collect();
        assert_eq!(hash(&frame, 1500), hash(&frame[..64], 1500));
        assert_ne!(hash(&frame, 1500), hash(&frame, 1501));
        let mut retried = frame.clone();
        retried[1] |= 0x08;
        assert_ne!(hash(&frame, 1500), hash(&retried, 1500));
    }
}
