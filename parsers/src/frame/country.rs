//! The Country element (IEEE 802.11-2020, 9.4.2.8).

/// Most subband triplets in an element of 255 octets.
const MAX_SUBBANDS: usize = (255 - 3) / 3;

/// Regulatory domain that a network announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Country {
    /// Country code (ISO 3166-1): two ASCII letters or digits.
    code: [u8; 2],
    /// Third octet of the Country String.
    environment: u8,
    subbands: Subbands,
}

/// Runs of channels, each with its first channel, the number of channels, and the maximum transmit power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Subbands {
    len: u8,
    first_channels: [u8; MAX_SUBBANDS],
    channels: [u8; MAX_SUBBANDS],
    max_dbm: [i8; MAX_SUBBANDS],
}

impl Country {
    /// `None` if the code is not two ASCII letters or digits.
    pub fn new(code: [u8; 2], environment: u8) -> Option<Country> {
        let none = Subbands {
            len: 0,
            first_channels: [0; MAX_SUBBANDS],
            channels: [0; MAX_SUBBANDS],
            max_dbm: [0; MAX_SUBBANDS],
        };
        code.iter().all(u8::is_ascii_alphanumeric).then_some(Country { code, environment, subbands: none })
    }

    /// Appends a subband; more than an element can hold are left out.
    pub fn push(&mut self, first_channel: u8, channels: u8, max_dbm: i8) {
        let bands = &mut self.subbands;
        let place = usize::from(bands.len);
        let slots = (bands.first_channels.get_mut(place), bands.channels.get_mut(place), bands.max_dbm.get_mut(place));
        if let (Some(first), Some(number), Some(power)) = slots {
            (*first, *number, *power) = (first_channel, channels, max_dbm);
            bands.len += 1;
        }
    }

    /// The country code.
    pub fn code(&self) -> [u8; 2] {
        self.code
    }

    /// Where the announcement holds; `None` for a value that the standard does not define.
    pub const fn environment(&self) -> Option<&'static str> {
        Some(match self.environment {
            b' ' => "any",
            b'O' => "outdoor",
            b'I' => "indoor",
            b'X' => "noncountry",
            1 => "table E-1",
            2 => "table E-2",
            3 => "table E-3",
            4 => "table E-4",
            5 => "table E-5",
            _ => return None,
        })
    }

    /// First channel of each subband.
    pub fn first_channels(&self) -> &[u8] {
        self.subbands.first_channels.get(..usize::from(self.subbands.len)).unwrap_or_default()
    }

    /// Number of channels of each subband.
    pub fn channels(&self) -> &[u8] {
        self.subbands.channels.get(..usize::from(self.subbands.len)).unwrap_or_default()
    }

    /// Maximum transmit power in each subband, dBm.
    pub fn max_dbm(&self) -> &[i8] {
        self.subbands.max_dbm.get(..usize::from(self.subbands.len)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_two_letters_or_digits() {
        assert_eq!(Country::new(*b"DE", b' ').unwrap().environment(), Some("any"));
        assert_eq!(Country::new(*b"00", 4).unwrap().environment(), Some("table E-4"));
        assert_eq!(Country::new(*b"US", b'?').unwrap().environment(), None);
        assert_eq!((Country::new(*b"D\x1b", b' '), Country::new([0, 0], b' ')), (None, None));
    }

    #[test]
    fn subbands_are_at_most_those_of_one_element() {
        let mut country = Country::new(*b"JP", b' ').unwrap();
        (0..=255).for_each(|channel| country.push(channel, 1, -1));
        assert_eq!((country.first_channels().len(), country.channels().len(), country.max_dbm().len()), (84, 84, 84));
        assert_eq!((country.first_channels()[83], country.max_dbm()[83]), (83, -1));
    }
}
