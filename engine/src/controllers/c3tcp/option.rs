//! The options field that S001 adds to the MAC header (sec. 4.3, fig. 5), and what it costs on the air.
//!
//! After the MAC header of a data frame come the length of the whole header in octets and a list of options, each of
//! them a type, the length of its data in octets, and the data. Frames with options have the type and subtype of
//! [`FRAME_CONTROL`]; without options a standard frame is sent. S001 prints neither the sizes of the fields nor the
//! numbers and units of the options: all lengths and types are one octet here, bandwidth is in units of 1 kbit/s and
//! delays are in microseconds, four octets each, most significant first.

use crate::packet::C3tcpHeader;

/// First octet of Frame Control of a frame with options: version 0, type 10, subtype 1000. S001 takes it as reserved;
/// it is that of QoS Data (IEEE 802.11-2020, table 9-1).
pub const FRAME_CONTROL: u8 = 0x88;

/// Option types.
const BANDWIDTH: u8 = 1;
const FORWARD_DELAY: u8 = 2;
const BACKWARD_DELAY: u8 = 3;

/// Octets of type and length, of the data of an option of ours, and of the length of the header.
const HEAD: usize = 2;
const DATA: usize = 4;
const LENGTH: usize = 1;

/// Why a field cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// It ends before the length it states.
    Truncated,
    /// The stated length of the header is less than that of a MAC header and of the length itself.
    HeaderLength(u8),
    /// An option of ours has data of another length.
    DataLength(u8),
}

/// The octets that follow a MAC header of `mac_header` octets; none where no hop has measured and nothing came back.
///
/// # Errors
///
/// A header longer than its length can say.
pub fn encode(mac_header: usize, header: &C3tcpHeader) -> Result<Vec<u8>, OptionError> {
    let mut list = Vec::new();
    if header.measured {
        push(&mut list, BANDWIDTH, header.bandwidth_bps / 1e3);
        push(&mut list, FORWARD_DELAY, header.forward_delay_s * 1e6);
    }
    if header.backward_delay_s > 0.0 {
        push(&mut list, BACKWARD_DELAY, header.backward_delay_s * 1e6);
    }
    if list.is_empty() {
        return Ok(list);
    }
    let length = u8::try_from(mac_header + LENGTH + list.len()).map_err(|_| OptionError::HeaderLength(u8::MAX))?;
    list.insert(0, length);
    Ok(list)
}

/// What the octets after a MAC header of `mac_header` octets say, and how many of them belong to the header. Options of
/// unknown types are skipped.
///
/// # Errors
///
/// See [`OptionError`].
pub fn decode(mac_header: usize, octets: &[u8]) -> Result<(C3tcpHeader, usize), OptionError> {
    let (&stated, _) = octets.split_first().ok_or(OptionError::Truncated)?;
    let field = usize::from(stated).checked_sub(mac_header).filter(|&field| field >= LENGTH);
    let field = field.ok_or(OptionError::HeaderLength(stated))?;
    let mut list = octets.get(LENGTH..field).ok_or(OptionError::Truncated)?;
    let mut header = super::source::UNMEASURED;
    while let Some((&[kind, length], rest)) = list.split_first_chunk::<HEAD>() {
        let (data, rest) = rest.split_at_checked(usize::from(length)).ok_or(OptionError::Truncated)?;
        match kind {
            BANDWIDTH => {
                header.bandwidth_bps = number(data)? * 1e3;
                header.measured = true;
            }
            FORWARD_DELAY => header.forward_delay_s = number(data)? / 1e6,
            BACKWARD_DELAY => header.backward_delay_s = number(data)? / 1e6,
            _ => {}
        }
        list = rest;
    }
    if list.is_empty() {
        Ok((header, field))
    } else {
        Err(OptionError::Truncated)
    }
}

fn push(list: &mut Vec<u8>, kind: u8, value: f64) {
    list.extend([kind, DATA as u8]);
    // Conversions from f64 saturate.
    list.extend((value.round() as u32).to_be_bytes());
}

fn number(data: &[u8]) -> Result<f64, OptionError> {
    let octets: [u8; DATA] = data.try_into().map_err(|_| OptionError::DataLength(data.len() as u8))?;
    Ok(f64::from(u32::from_be_bytes(octets)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(decode(MAC, &octets[..end]), Err(OptionError::Truncated), "{end} octets");
        }
        assert_eq!(decode(MAC, &[24]), Err(OptionError::HeaderLength(24)));
        assert_eq!(decode(MAC, &[28, 1, 1, 9]), Err(OptionError::DataLength(1)));
        assert_eq!(decode(MAC, &[27, 1, 9]), Err(OptionError::Truncated));
        assert_eq!(decode(MAC, &[26, 1]), Err(OptionError::Truncated));
    }

    /// S001 takes type 10 and subtype 1000 as reserved: it is QoS Data.
    #[test]
    fn frames_with_options_look_like_qos_data() {
        let (kind, subtype) = (FRAME_CONTROL >> 2 & 0b11, FRAME_CONTROL >> 4);
        assert_eq!((kind, subtype), (0b10, 0b1000));
    }
}
