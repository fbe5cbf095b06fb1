//! Cursor for parsing one line of a trace.

use crate::base::time::accepted;

/// The unparsed rest of a line. Every method skips leading spaces and advances past the parsed token. It returns `None`
/// if the line does not contain the expected token.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    /// Up to the next space.
    #[inline]
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_spaces();
        let end = self.0.iter().position(|&b| b == b' ').unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Exactly `byte`.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip_spaces();
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        (first == byte).then_some(())
    }

    /// Unsigned decimal digits.
    #[inline]
    pub(super) fn decimal(&mut self) -> Option<u64> {
        self.skip_spaces();
        self.digits().map(|(value, _)| value)
    }

    /// Decimal digits that may have a minus sign.
    pub(super) fn signed(&mut self) -> Option<i64> {
        self.skip_spaces();
        let negative = self.0.first() == Some(&b'-');
        if negative {
            self.expect(b'-')?;
        }
        let value = i64::try_from(self.digits()?.0).ok()?;
        Some(if negative { -value } else { value })
    }

    /// Hexadecimal digits without prefix.
    pub(super) fn hex(&mut self) -> Option<u32> {
        self.skip_spaces();
        let mut value = 0u32;
        let mut count = 0;
        for &byte in self.0 {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => break,
            };
            value = (value << 4) | u32::from(digit);
            count += 1;
        }
        self.0 = self.0.get(count..)?;
        (1..=8).contains(&count).then_some(value)
    }

    /// Decimal seconds as nanoseconds: exact with up to nine decimals, rounded with more, as lines of wired links have.
    #[inline]
    pub(super) fn seconds(&mut self) -> Option<i64> {
        self.skip_spaces();
        let (whole, _) = self.digits()?;
        let (mut fraction, mut places) = (0, 0);
        if self.0.first() == Some(&b'.') {
            self.expect(b'.')?;
            (fraction, places) = self.digits()?;
        }
        if places > 9 || matches!(self.0.first(), Some(b'e' | b'0'..=b'9')) {
            return self.rounded_seconds(whole, fraction, places);
        }
        let nanos = fraction.checked_mul(10u64.pow(9u32.checked_sub(places)?))?;
        accepted(i128::from(whole.checked_mul(1_000_000_000)?.checked_add(nanos)?))
    }

    /// The nanoseconds of these digits and of an exponent that may follow, as in `6.9e-05`.
    #[cold]
    fn rounded_seconds(&mut self, whole: u64, fraction: u64, places: u32) -> Option<i64> {
        let mut exponent = 9i64;
        if places > 0 {
            while self.digits().is_some() {} // of no weight behind those that were read
        }
        if self.0.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        if self.0.first() == Some(&b'e') {
            self.expect(b'e')?;
            if self.0.first() == Some(&b'+') {
                self.expect(b'+')?;
            }
            exponent = self.signed()?.checked_add(exponent)?;
        }
        let digits = i128::from(whole).checked_mul(10i128.pow(places))?.checked_add(i128::from(fraction))?;
        let scale = exponent.checked_sub(i64::from(places))?;
        let power = 10i128.checked_pow(u32::try_from(scale.unsigned_abs()).ok()?);
        match power {
            Some(power) if scale >= 0 => accepted(digits.checked_mul(power)?),
            Some(power) => accepted(digits.checked_add(power / 2)? / power),
            None => (scale < 0 || digits == 0).then_some(0), // less than a nanosecond
        }
    }

    /// Moves past a `[` and the `]` after it.
    pub(super) fn skip_bracket(&mut self) -> Option<()> {
        self.expect(b'[')?;
        let end = self.0.iter().position(|&b| b == b']')?;
        self.0 = self.0.get(end + 1..)?;
        Some(())
    }

    /// True if the rest, after spaces, starts with `text`.
    #[inline]
    pub(super) fn looks_at(&mut self, text: &[u8]) -> bool {
        self.skip_spaces();
        self.0.starts_with(text)
    }

    #[inline]
    fn skip_spaces(&mut self) {
        while let Some((b' ', rest)) = self.0.split_first() {
            self.0 = rest;
        }
    }

    /// Parses 1 to 19 digits, which always fit a `u64`; returns their value and count.
    #[inline]
    fn digits(&mut self) -> Option<(u64, u32)> {
        let mut value = 0u64;
        let mut count = 0;
        for byte in self.0.iter().take(19) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value * 10 + u64::from(digit);
            count += 1;
        }
        self.0 = self.0.get(count as usize..)?;
        (count > 0).then_some((value, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        for (text, ns) in [
            ("0.000000001", Some(1)),
            ("1.000535000", Some(1_000_535_000)),
            ("1.016931752", Some(1_016_931_752)), // not representable in binary
            (" 12", Some(12_000_000_000)),
            ("0.5", Some(500_000_000)),
            ("4611686018.427387904", Some(1 << 62)),
            ("4611686018.427387905", None),
            ("9223372036.854775807", None),
            ("1.0000000001", Some(1_000_000_000)),
            ("0.59999999999999998", Some(600_000_000)),
            ("1.0000000005", Some(1_000_000_001)),
            ("3e-06", Some(3_000)),
            ("6.9e-05", Some(69_000)),
            ("1.5e+01", Some(15_000_000_000)),
            ("4e-10", Some(0)),
            ("1e-99", Some(0)),
            ("1e99", None),
            ("1e", None),
            ("1e-99999999999999999999", None),
            ("1e9223372036854775807", None),
            ("0.59999999999999999999999", Some(600_000_000)),
            ("1.", None),
            (".5", None),
            ("99999999999999999999999", None),
            ("", None),
        ] {
            assert_eq!(Cursor(text.as_bytes()).seconds(), ns, "{text}");
        }
    }

    #[test]
    fn numbers_stop_where_they_end() {
        let mut cursor = Cursor(b" 12:-1 13a]x");
        assert_eq!(cursor.decimal(), Some(12));
        assert_eq!(cursor.expect(b':'), Some(()));
        assert_eq!(cursor.signed(), Some(-1));
        assert_eq!(cursor.hex(), Some(0x13a));
        assert_eq!(cursor.0, b"]x");
        assert_eq!(Cursor(b"123456789").hex(), None);
        assert_eq!(Cursor(b"-").signed(), None);
        assert_eq!(Cursor(b"99999999999999999999").signed(), None);
    }

    #[test]
    fn brackets_must_close() {
        let mut cursor = Cursor(b" [energy 1.0] x");
        assert_eq!(cursor.skip_bracket(), Some(()));
        assert_eq!(cursor.0, b" x");
        assert!(Cursor(b"[0:0 3").skip_bracket().is_none());
        assert!(Cursor(b"0:0 3]").skip_bracket().is_none());
    }
}
