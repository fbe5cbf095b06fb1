//! Describes an unsupported file for the error message.

/// Common unsupported formats, by their magic numbers.
const MAGICS: &[(&[u8], &str)] = &[
    (b"\x0a\x0d\x0d\x0a", "a pcapng capture without a section header"),
    (b"\x1f\x8b", "gzip-compressed data that do not unpack, or twice compressed. Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data that do not unpack, or twice compressed. Unpack it first"),
    (b"\x04\x22\x4d\x18", "lz4-compressed data that do not unpack, or twice compressed. Unpack it first"),
    (b"\xfd7zXZ\0", "xz-compressed data that do not unpack, or twice compressed. Unpack it first"),
    (b"BZh", "bzip2-compressed data. Unpack it first"),
    (b"PK\x03\x04", "a zip archive. Unpack it first"),
    (b"snoop\0\0\0", "a snoop capture. Convert it with `editcap -F pcap IN OUT`"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3\0", "an SQLite database"),
];

/// Describes a file that starts with `head`.
pub(super) fn describe(head: &[u8]) -> String {
    if head.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, name)) = MAGICS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return (*name).to_owned();
    }
    if is_text(head) {
        return "text that is no trace".to_owned();
    }
    let first: Vec<_> = head.iter().take(8).map(|octet| format!("{octet:02x}")).collect();
    format!("binary data beginning with {}", first.join(" "))
}

/// True for UTF-8 text (possibly cut within a character) whose only control characters are white space.
fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.is_empty() && text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_mistakes_are_named() {
        for (head, expected) in [
            (b"".as_slice(), "an empty file"),
            (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "pcapng"),
            (b"BZh9", "bzip2"),
            (b"time,throughput\n1,2\n", "text"),
            ("caf\u{e9}".as_bytes().get(..4).unwrap(), "text"),
            (b"\x7fELF\x02\x01", "binary data beginning with 7f 45 4c 46 02 01"),
        ] {
            let found = describe(head);
            assert!(found.contains(expected), "{found}");
        }
    }
}
