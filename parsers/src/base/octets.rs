//! Little-endian fields of headers, read with bounds checks.

/// The octet at `at`.
pub(crate) fn u8_at(octets: &[u8], at: usize) -> Option<u8> {
    octets.get(at).copied()
}

/// The 16-bit field at `at`.
pub(crate) fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(array_at(octets, at)?))
}

/// The 32-bit field at `at`.
pub(crate) fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(array_at(octets, at)?))
}

/// The 64-bit field at `at`.
pub(crate) fn u64_at(octets: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(array_at(octets, at)?))
}

/// The `N` octets at `at`.
pub(crate) fn array_at<const N: usize>(octets: &[u8], at: usize) -> Option<[u8; N]> {
    octets.get(at..)?.first_chunk().copied()
}
