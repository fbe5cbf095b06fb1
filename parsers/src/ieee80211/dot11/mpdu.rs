//! What a recording holds of a MAC frame.

/// A MAC frame as the recording holds it.
#[derive(Clone, Copy, Debug)]
pub struct Mpdu<'a> {
    /// Its octets from Frame Control on, perhaps fewer than there were on the air.
    pub octets: &'a [u8],
    /// How many octets the recording would hold had it not cut the frame.
    pub recorded_bytes: u32,
    /// The recorded octets end with the FCS.
    pub trailing_fcs: bool,
    /// The receiver found the FCS wrong.
    pub bad_fcs: bool,
    /// The header is padded to a multiple of four octets (not on the air).
    pub data_pad: bool,
}
