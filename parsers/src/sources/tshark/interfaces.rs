//! The interfaces of a capture that recorded 802.11 frames, numbered as radios.

use super::fields::Field;
use super::row::Row;
use crate::base::Warning;
use crate::frame::MAX_RADIOS;
use crate::sources::interfaces::several_interfaces;

/// Printed by tshark for an interface without a name.
const UNNAMED: &str = "unknown";

/// Interfaces in the order of their first frames: number within the section, and name.
#[derive(Debug, Default)]
pub(super) struct Interfaces {
    heard: Vec<(u32, String)>,
}

impl Interfaces {
    /// The radio that recorded an 802.11 frame. Interfaces with the same number and name in several sections are one
    /// radio.
    pub fn radio(&mut self, row: &Row<'_>) -> u8 {
        let number = row.number(Field::Interface).unwrap_or_default();
        let name = row.text(Field::InterfaceName).filter(|&name| name != UNNAMED).unwrap_or_default();
        let place = self.heard.iter().position(|(known, named)| *known == number && named == name);
        let place = place.unwrap_or_else(|| {
            if self.heard.len() < usize::from(MAX_RADIOS) {
                self.heard.push((number, name.to_owned()));
            }
            self.heard.len() - 1
        });
        u8::try_from(place).unwrap_or_default()
    }

    /// Number of interfaces, at least one.
    pub fn count(&self) -> u8 {
        u8::try_from(self.heard.len()).unwrap_or(MAX_RADIOS).max(1)
    }

    /// A warning if there are several interfaces.
    pub fn warning(&self) -> Option<Warning> {
        let numbered = (0..).zip(&self.heard);
        several_interfaces(numbered.map(|(radio, (number, name))| (radio, *number, name.as_str())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_numbered_as_they_are_heard() {
        let printed = [Field::Interface, Field::InterfaceName];
        let mut interfaces = Interfaces::default();
        let lines = ["2\twlan1", "0\twlan0", "2\twlan1", "0\tunknown", "", "0\twlan0"];
        assert_eq!(lines.map(|line| interfaces.radio(&Row::new(line, &printed))), [0, 1, 0, 2, 2, 1]);
        let message = interfaces.warning().unwrap().message;
        assert!(message.ends_with("#1 is interface 0 (wlan0), #2 is interface 0"), "{message}");
    }

    #[test]
    fn interfaces_without_end_are_bounded() {
        let mut interfaces = Interfaces::default();
        (0..1000).for_each(|number| {
            assert!(interfaces.radio(&Row::new(&number.to_string(), &[Field::Interface])) < MAX_RADIOS);
        });
        assert_eq!(interfaces.count(), MAX_RADIOS);
    }
}
