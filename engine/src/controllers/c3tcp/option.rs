//! C3TCP's header as the options field that S001 adds to the MAC header, and what it costs on the air.

use winf_ieee80211::{HopOptions, HopOptionsError};

use crate::packet::C3tcpHeader;

/// Octets of the field in frames with data, bandwidth and forward delay, and in those with acknowledgements, all three.
pub const OCTETS: (u32, u32) = (HopOptions::octets(2) as u32, HopOptions::octets(3) as u32);

/// The octets that follow a MAC header of `mac_header` octets; none where no hop has measured and nothing came back.
///
/// # Errors
///
/// A header longer than its length can say.
pub fn encode(mac_header: usize, header: &C3tcpHeader) -> Result<Vec<u8>, HopOptionsError> {
    // Conversions from f64 saturate.
    let rounded = |value: f64| value.round() as u32;
    let options = HopOptions {
        bandwidth_kbps: header.measured.then(|| rounded(header.bandwidth_bps / 1e3)),
        forward_delay_us: header.measured.then(|| rounded(header.forward_delay_s * 1e6)),
        backward_delay_us: (header.backward_delay_s > 0.0).then(|| rounded(header.backward_delay_s * 1e6)),
    };
    options.encode(mac_header)
}

/// What the octets after a MAC header of `mac_header` octets say, and how many of them belong to the header.
///
/// # Errors
///
/// See [`HopOptionsError`].
pub fn decode(mac_header: usize, octets: &[u8]) -> Result<(C3tcpHeader, usize), HopOptionsError> {
    let (options, field) = HopOptions::decode(mac_header, octets)?;
    let seconds = |us: Option<u32>| us.map_or(0.0, |us| f64::from(us) / 1e6);
    let header = C3tcpHeader {
        bandwidth_bps: options.bandwidth_kbps.map_or(f64::INFINITY, |kbps| f64::from(kbps) * 1e3),
        forward_delay_s: seconds(options.forward_delay_us),
        backward_delay_s: seconds(options.backward_delay_us),
        measured: options.bandwidth_kbps.is_some(),
    };
    Ok((header, field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use winf_ieee80211::HOP_OPTIONS_FRAME_CONTROL;

    /// MAC header with three addresses.
    const MAC: usize = 24;

    fn measured() -> C3tcpHeader {
        C3tcpHeader { bandwidth_bps: 1_722_000.0, forward_delay_s: 7_574e-6, backward_delay_s: 0.0, measured: true }
    }

    #[test]
    fn the_field_is_a_length_and_a_list_of_type_length_and_data() {
        let octets = encode(MAC, &measured()).unwrap();
        assert_eq!(octets, [37, 1, 4, 0, 0, 0x06, 0xBA, 2, 4, 0, 0, 0x1D, 0x96]);
        assert_eq!(usize::from(octets[0]), MAC + octets.len(), "the whole header");
        let answer = C3tcpHeader { backward_delay_s: 5_316e-6, ..measured() };
        assert_eq!(encode(MAC, &answer).unwrap()[13..], [3, 4, 0, 0, 0x14, 0xC4]);
    }

    #[test]
    fn frames_pay_for_what_is_written() {
        let answer = C3tcpHeader { backward_delay_s: 5_316e-6, ..measured() };
        let written = [measured(), answer].map(|header| encode(MAC, &header).unwrap().len() as u32);
        assert_eq!(OCTETS, (written[0], written[1]));
    }

    #[test]
    fn what_is_written_is_read() {
        for header in [measured(), C3tcpHeader { backward_delay_s: 5_316e-6, ..measured() }] {
            let mut octets = encode(MAC, &header).unwrap();
            let field = octets.len();
            octets.extend([0xAA, 0xAA]);
            assert_eq!(decode(MAC, &octets), Ok((header, field)), "the body is not part of it");
        }
    }

    #[test]
    fn without_options_there_is_no_field() {
        assert_eq!(encode(MAC, &super::super::source::UNMEASURED), Ok(vec![]));
    }

    #[test]
    fn unknown_options_are_skipped() {
        let (header, field) = decode(MAC, &[34, 200, 1, 9, 2, 4, 0, 0, 0, 5]).unwrap();
        assert_eq!((header.forward_delay_s, header.measured, field), (5e-6, false, 10));
    }

    #[test]
    fn a_field_that_is_cut_or_contradicts_itself_is_refused() {
        let octets = encode(MAC, &measured()).unwrap();
        for end in 0..octets.len() {
            assert_eq!(decode(MAC, &octets[..end]), Err(HopOptionsError::Truncated), "{end} octets");
        }
        assert_eq!(decode(MAC, &[24]), Err(HopOptionsError::HeaderLength(24)));
        assert_eq!(decode(MAC, &[28, 1, 1, 9]), Err(HopOptionsError::DataLength(1)));
        assert_eq!(decode(MAC, &[27, 1, 9]), Err(HopOptionsError::Truncated));
        assert_eq!(decode(MAC, &[26, 1]), Err(HopOptionsError::Truncated));
    }

    /// S001 takes type 10 and subtype 1000 as reserved: it is QoS Data.
    #[test]
    fn frames_with_options_look_like_qos_data() {
        let (kind, subtype) = (HOP_OPTIONS_FRAME_CONTROL >> 2 & 0b11, HOP_OPTIONS_FRAME_CONTROL >> 4);
        assert_eq!((kind, subtype), (0b10, 0b1000));
    }
}
