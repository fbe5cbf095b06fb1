//! One output line of tshark: the fields of one frame.

use std::str::FromStr;

use super::fields::Field;

/// Separator of fields.
pub(super) const SEPARATOR: char = '\t';
/// Separator of several values of one field; tshark escapes it within values.
pub(super) const AGGREGATOR: char = '\u{1f}';

/// The fields of one frame; absent fields are empty.
pub(super) struct Row<'a> {
    cells: [&'a str; Field::COUNT],
}

impl<'a> Row<'a> {
    /// `printed` lists the fields of the line, in order.
    pub fn new(line: &'a str, printed: &[Field]) -> Row<'a> {
        let mut cells = [""; Field::COUNT];
        for (&field, cell) in printed.iter().zip(line.split(SEPARATOR)) {
            if let Some(slot) = cells.get_mut(field as usize) {
                *slot = cell;
            }
        }
        Row { cells }
    }

    /// Every value of a field that may occur several times in a frame.
    pub fn all(&self, field: Field) -> impl Iterator<Item = &'a str> {
        let cell = self.cells.get(field as usize).copied().unwrap_or_default();
        cell.split(AGGREGATOR).filter(|value| !value.is_empty())
    }

    /// The first value of a field, which is the outermost one.
    pub fn text(&self, field: Field) -> Option<&'a str> {
        self.all(field).next()
    }

    /// The first value, parsed.
    pub fn parsed<T: FromStr>(&self, field: Field) -> Option<T> {
        self.text(field)?.parse().ok()
    }

    /// An integer, decimal or with prefix 0x.
    pub fn number<T: TryFrom<u64>>(&self, field: Field) -> Option<T> {
        T::try_from(number(self.text(field)?)?).ok()
    }

    /// A Boolean.
    pub fn flag(&self, field: Field) -> Option<bool> {
        self.text(field).and_then(truth)
    }

    /// True if the flag is present and set.
    pub fn is_set(&self, field: Field) -> bool {
        self.flag(field) == Some(true)
    }
}

/// An integer, decimal or with prefix 0x.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A Boolean: 0 and 1 in Wireshark 4.0, words in later versions.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "True" => Some(true),
        "0" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_every_notation() {
        let printed = [Field::Ra, Field::TypeSubtype, Field::Retry, Field::Protected, Field::AntennaSignal];
        let row = Row::new("02:00:00:00:00:01\t0x0028\t1\tFalse\t-40\u{1f}-43", &printed);
        assert_eq!(row.text(Field::Ra), Some("02:00:00:00:00:01"));
        assert_eq!(row.number(Field::TypeSubtype), Some(0x28u16));
        assert_eq!((row.flag(Field::Retry), row.flag(Field::Protected)), (Some(true), Some(false)));
        assert_eq!(row.all(Field::AntennaSignal).collect::<Vec<_>>(), ["-40", "-43"]);
        assert_eq!(row.parsed::<i8>(Field::AntennaSignal), Some(-40));
        assert_eq!((row.text(Field::Ssid), row.number::<u8>(Field::Sequence)), (None, None));
    }

    #[test]
    fn lines_cut_or_too_long_are_rows_all_the_same() {
        let printed = [Field::Ra, Field::Sequence];
        assert_eq!(Row::new("", &printed).text(Field::Ra), None);
        assert_eq!(Row::new("x\t70000\t3\t4", &printed).number::<u16>(Field::Sequence), None);
        assert_eq!(Row::new("x\t4095\t3\t4", &printed).number::<u16>(Field::Sequence), Some(4095));
    }
}
