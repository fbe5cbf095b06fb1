//! Keys of encrypted captures.

use std::fmt;

use super::hexadecimal::octets;

/// A decryption key for tshark.
///
/// `Debug` does not print it: keys must not appear in logs.
#[derive(Clone, PartialEq, Eq)]
pub enum Key {
    /// WEP: 5 or 13 octets.
    Wep(Vec<u8>),
    /// The pre-shared key (PMK) of WPA and WPA2: 32 octets.
    WpaPsk(Vec<u8>),
}

impl Key {
    /// Reads `wep:HEX` or `wpa-psk:HEX`; `None` for anything else.
    ///
    /// Passphrases are not accepted. The caller derives the pre-shared key from the passphrase (IEEE 802.11-2020, annex
    /// J.4), so no user text is passed to tshark.
    pub fn parse(text: &str) -> Option<Key> {
        let (kind, digits) = text.split_once(':')?;
        let octets = octets(digits)?;
        match (kind, octets.len()) {
            ("wep", 5 | 13) => Some(Key::Wep(octets)),
            ("wpa-psk", 32) => Some(Key::WpaPsk(octets)),
            _ => None,
        }
    }

    /// A line of Wireshark's key table: only letters, digits and quotes.
    pub(super) fn table_line(&self) -> String {
        let (kind, octets) = match self {
            Key::Wep(octets) => ("wep", octets),
            Key::WpaPsk(octets) => ("wpa-psk", octets),
        };
        let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        format!("\"{kind}\",\"{digits}\"\n")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Key::Wep(_) => "Wep(..)",
            Key::WpaPsk(_) => "WpaPsk(..)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_kind() {
        assert_eq!(Key::parse("wep:0102030405").unwrap().table_line(), "\"wep\",\"0102030405\"\n");
        let digits = "0A".repeat(32);
        let line = format!("\"wpa-psk\",\"{}\"\n", digits.to_lowercase());
        assert_eq!(Key::parse(&format!("wpa-psk:{digits}")).unwrap().table_line(), line);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "wep", "wep:", "wep:01", "wep:010203040", "wep:01020304\"x", "wpa-psk:00", "wpa-pwd:a:b"] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
        assert_eq!(format!("{:?}", Key::parse("wep:0102030405").unwrap()), "Wep(..)");
    }
}
