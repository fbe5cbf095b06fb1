//! The options field that S001 (Kliazovich, Granelli) adds to the MAC header of data frames (sec. 4.3, fig. 5).
//!
//! After the MAC header come the length of the whole header in octets and a list of options, each of them a type, the
//! length of its data in octets, and the data. Frames with options have type 10 and subtype 1000, which S001 takes as
//! reserved and which is that of QoS Data (IEEE 802.11-2020, table 9-1). S001 prints neither the sizes of the fields nor
//! the numbers and units of the options: all lengths and types are one octet here, bandwidth is in units of 1 kbit/s and
//! delays are in microseconds, four octets each, most significant first.

/// First octet of Frame Control of a frame with options: version 0, type 10, subtype 1000.
pub const HOP_OPTIONS_FRAME_CONTROL: u8 = 0x88;

/// Option types.
const BANDWIDTH: u8 = 1;
const FORWARD_DELAY: u8 = 2;
const BACKWARD_DELAY: u8 = 3;

/// Octets of type and length, of the data of an option of ours, and of the length of the header.
const HEAD: usize = 2;
const DATA: usize = 4;
const LENGTH: usize = 1;

/// The options of a frame; `None`: not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopOptions {
    /// Least bandwidth of the hops so far, kbit/s.
    pub bandwidth_kbps: Option<u32>,
    /// Sum of the forward delays of the hops so far, microseconds.
    pub forward_delay_us: Option<u32>,
    /// Sum of the backward delays of the hops so far, microseconds.
    pub backward_delay_us: Option<u32>,
}

/// Why a field cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopOptionsError {
    /// It ends before the length it states.
    Truncated,
    /// The stated length of the header is less than that of a MAC header and of the length itself, or more than an octet
    /// can say.
    HeaderLength(u8),
    /// An option of ours has data of another length.
    DataLength(u8),
}

impl HopOptions {
    /// Octets of the field with so many options.
    #[must_use]
    pub const fn octets(options: usize) -> usize {
        LENGTH + options * (HEAD + DATA)
    }

    /// The octets that follow a MAC header of `mac_header` octets; none without options.
    ///
    /// # Errors
    ///
    /// A header longer than its length can say.
    pub fn encode(&self, mac_header: usize) -> Result<Vec<u8>, HopOptionsError> {
        let options = [
            (BANDWIDTH, self.bandwidth_kbps),
            (FORWARD_DELAY, self.forward_delay_us),
            (BACKWARD_DELAY, self.backward_delay_us),
        ];
        let mut list = Vec::new();
        for (kind, value) in options {
            let Some(value) = value else { continue };
            list.extend([kind, DATA as u8]);
            list.extend(value.to_be_bytes());
        }
        if list.is_empty() {
            return Ok(list);
        }
        let length = u8::try_from(mac_header + LENGTH + list.len());
        list.insert(0, length.map_err(|_| HopOptionsError::HeaderLength(u8::MAX))?);
        Ok(list)
    }

    /// What the octets after a MAC header of `mac_header` octets say, and how many of them belong to the header. Options of
    /// unknown types are skipped.
    ///
    /// # Errors
    ///
    /// See [`HopOptionsError`].
    pub fn decode(mac_header: usize, octets: &[u8]) -> Result<(Self, usize), HopOptionsError> {
        let (&stated, _) = octets.split_first().ok_or(HopOptionsError::Truncated)?;
        let field = usize::from(stated).checked_sub(mac_header).filter(|&field| field >= LENGTH);
        let field = field.ok_or(HopOptionsError::HeaderLength(stated))?;
        let mut list = octets.get(LENGTH..field).ok_or(HopOptionsError::Truncated)?;
        let mut options = Self::default();
        while let Some((&[kind, length], rest)) = list.split_first_chunk::<HEAD>() {
            let (data, rest) = rest.split_at_checked(usize::from(length)).ok_or(HopOptionsError::Truncated)?;
            match kind {
                BANDWIDTH => options.bandwidth_kbps = Some(number(data)?),
                FORWARD_DELAY => options.forward_delay_us = Some(number(data)?),
                BACKWARD_DELAY => options.backward_delay_us = Some(number(data)?),
                _ => {}
            }
            list = rest;
        }
        if list.is_empty() {
            Ok((options, field))
        } else {
            Err(HopOptionsError::Truncated)
        }
    }
}

fn number(data: &[u8]) -> Result<u32, HopOptionsError> {
    let octets = data.try_into().map_err(|_| HopOptionsError::DataLength(data.len() as u8))?;
    Ok(u32::from_be_bytes(octets))
}
