//! Describes an unsupported file for the error message.

use super::compression::cut_magic;
use super::pcap::{cut_file_header, cut_section_header};

/// Common unsupported formats, by their magic numbers.
const MAGICS: &[(&[u8], &str)] = &[
    (b"\x0a\x0d\x0d\x0a", "a pcapng file whose first section header tells no byte order"),
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
    if let Some(bytes) = cut_file_header(head) {
        return format!("a pcap file that ends within its file header, after {} of {bytes} octets", head.len());
    }
    if cut_section_header(head) {
        return format!("a pcapng file that ends within its first section header, after {} octets", head.len());
    }
    if let Some(codec) = cut_magic(head) {
        return format!("the beginning of {codec}-compressed data, which ends after {} octets", head.len());
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
            (b"\xd4\xc3\xb2\xa1", "a pcap file that ends within its file header, after 4 of 24 octets"),
            (b"\xa1\xb2\x3c\x4d\0\x02\0\x04", "a pcap file that ends within its file header, after 8 of 24 octets"),
            (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "a pcapng file that ends within its first section header, after 8"),
            (b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0", "first section header, after 16 octets"),
            (b"\x0a\x0d\x0d\x0a\x1c\0\0\0\0\0\0\0\x01\0\0\0", "tells no byte order"),
            (b"\xfd7z", "the beginning of xz-compressed data, which ends after 3 octets"),
            (b"\x28\xb5\x2f", "the beginning of zstd-compressed data, which ends after 3 octets"),
            (b"\x04\x22", "the beginning of lz4-compressed data, which ends after 2 octets"),
            (b"\xfd", "binary data beginning with fd"),
            (b"\xfd7a", "binary data beginning with fd 37 61"),
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
