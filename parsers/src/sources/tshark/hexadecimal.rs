//! Parses octets from pairs of hexadecimal digits.

/// `None` if the text is not a sequence of digit pairs.
pub(super) fn octets(digits: &str) -> Option<Vec<u8>> {
    let digit = |octet: u8| char::from(octet).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? << 4 | digit(*low)?).ok(),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_digits_and_nothing_else() {
        assert_eq!(octets("00fFa1"), Some(vec![0x00, 0xff, 0xa1]));
        assert_eq!(octets(""), Some(vec![]));
        assert_eq!((octets("0"), octets("0g"), octets("é0")), (None, None, None));
    }
}
