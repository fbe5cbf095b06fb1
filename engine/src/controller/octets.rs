//! What the fields of a controller add to packets and frames.

/// Octets that a controller's fields add; [`crate::world::CongestionHeaders`] says whether they cost time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Octets {
    /// Of a header before the transport's, in data and probes.
    pub data_header: u32,
    /// Of a header before the transport's, in acknowledgements and answers.
    pub ack_header: u32,
    /// Of options in the MAC header of a wireless frame with data or a probe; a wire carries none.
    pub data_option: u32,
    /// Of options in the MAC header of a wireless frame with an acknowledgement or an answer.
    pub ack_option: u32,
    /// In the ACK frames of the MAC, of every station of the run.
    pub mac_ack: u32,
}

impl Octets {
    /// A header of the same length in both directions.
    #[must_use]
    pub const fn header(octets: u32) -> Self {
        Self { data_header: octets, ack_header: octets, data_option: 0, ack_option: 0, mac_ack: 0 }
    }
}
