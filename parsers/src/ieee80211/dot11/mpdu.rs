//! The recorded octets of a MAC frame.

/// A MAC frame as recorded.
#[derive(Clone, Copy, Debug)]
pub struct Mpdu<'a> {
    /// Its octets from Frame Control on, possibly truncated.
    pub octets: &'a [u8],
    /// Number of octets in the recording if the frame had not been truncated.
    pub recorded_bytes: u32,
    /// The recorded octets end with the FCS.
    pub trailing_fcs: bool,
    /// The receiver reported a bad FCS.
    pub bad_fcs: bool,
    /// The header is padded to a multiple of four octets (not on the air).
    pub data_pad: bool,
}
