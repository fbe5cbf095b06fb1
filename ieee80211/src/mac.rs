//! Sizes and limits of the MAC.

/// aCWmax of every PHY, slots (tables 15-6, 16-4, 17-21, 18-5, 19-25, 21-28, 27-54, 36-70).
pub const MAX_CW: u32 = 1023;
/// An RTS, octets (9.3.1.2).
pub const RTS_BYTES: u32 = 20;
/// A CTS, octets (9.3.1.3).
pub const CTS_BYTES: u32 = 14;
/// An ACK, octets (9.3.1.4).
pub const ACK_BYTES: u32 = 14;
/// A compressed BlockAck with a bitmap of 64 MPDUs, octets (9.3.1.8.2).
pub const BLOCK_ACK_BYTES: u32 = 32;
/// BlockAckReq of the compressed variant, octets (9.3.1.7.2).
pub const BLOCK_ACK_REQUEST_BYTES: u32 = 24;
/// The frame check sequence, octets (9.2.4.8).
pub const FCS_BYTES: u32 = 4;
/// MAC header of a data frame with three addresses and without QoS Control, octets (9.3.2.1).
pub const DATA_HEADER_BYTES: u32 = 24;
/// MAC header of a management frame without HT Control, octets (9.3.3.1).
pub const MANAGEMENT_HEADER_BYTES: u32 = 24;
/// The HT Control field, octets (9.2.4.6).
pub const HT_CONTROL_BYTES: u32 = 4;
/// Sequence numbers: they count modulo this (9.2.4.4.2).
pub const SEQUENCE_NUMBERS: u32 = 4096;
/// Of two sequence numbers the one that is less than this ahead of the other is the later one (10.24.7.2).
pub const SEQUENCE_HALF_RANGE: u32 = SEQUENCE_NUMBERS / 2;
/// The delimiter before each MPDU of an A-MPDU, and what all but the last subframe are padded to, octets (9.7.1).
pub const MPDU_DELIMITER_BYTES: u32 = 4;
/// The longest MSDU, octets (9.2.4.8.1, table 9-25).
pub const MSDU_MAX_BYTES: u32 = 2304;
/// DA, SA and Length before each MSDU of an A-MSDU, octets (9.3.2.2.1).
pub const A_MSDU_SUBFRAME_HEADER_BYTES: u32 = 14;
/// The longest MPDU without aggregation, octets: 2304 of MSDU, header with four addresses, QoS, FCS (9.2.4.7.1).
pub const MPDU_MAX_BYTES: u32 = 2346;
/// The longest A-MPDU of HT, octets (9.4.2.55.3).
pub const HT_AMPDU_MAX_BYTES: u32 = 65_535;
/// MPDUs of one BlockAck agreement before HE (10.25.6.1).
pub const BLOCK_ACK_WINDOW: u32 = 64;
/// The most MPDUs of one BlockAck agreement of HE stations (802.11ax-2021, 26.4.3).
pub const BLOCK_ACK_WINDOW_HE: u32 = 256;
/// MPDUs that the longest BlockAck acknowledges (802.11be-2024, 9.3.1.8.2): no A-MPDU has more.
pub const AMPDU_MAX_MPDUS: u32 = 1024;
/// aPPDUMaxTime of HT (mixed format), VHT, HE and EHT, nanoseconds (tables 19-25, 21-28, 27-54, 36-70).
pub const PPDU_MAX_NS: u64 = 5_484_000;
/// dot11ShortRetryLimit: attempts of an RTS, or of a frame without one (annex C.3, default).
pub const SHORT_RETRY_LIMIT: u32 = 7;
/// dot11LongRetryLimit: attempts of a frame after RTS and CTS (annex C.3, default).
pub const LONG_RETRY_LIMIT: u32 = 4;
/// A time unit (TU), microseconds (3.1).
pub const TIME_UNIT_US: u64 = 1024;
/// dot11MaxTransmitMSDULifetime, TU (annex C.3, default).
pub const MSDU_LIFETIME_TU: u64 = 512;
/// Accuracy of a TSF timer, parts per million either way (11.1.3.9).
pub const TSF_ACCURACY_PPM: f64 = 100.0;
