//! The headers, payloads and trailers of a packet as ns-3 prints them:
//!
//! ```text
//! ns3::LlcSnapHeader (type 0x800) ns3::UdpHeader (length: 1008 49153 > 5000) Payload Fragment [0:996]
//! ```

/// One part of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// Its type, without `ns3::`.
    pub(super) name: &'a str,
    pub(super) content: Content<'a>,
}

/// The printed content of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// Complete: the text between the brackets.
    Whole(&'a str),
    /// A fragment: only this many octets are in this packet.
    Fragment(u32),
}

/// The parts of `packet`, up to the first text that is not a part.
pub(super) struct Items<'a>(pub(super) &'a str);

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let (name, rest) = self.0.trim_start().split_once(' ')?;
        if let Some(range) = rest.strip_prefix("Fragment [") {
            let (range, rest) = range.split_once(']')?;
            let (from, to) = range.split_once(':')?;
            self.0 = rest;
            let octets = to.parse::<u32>().ok()?.checked_sub(from.parse().ok()?)?;
            return Some(Item { name: short(name), content: Content::Fragment(octets) });
        }
        let inside = rest.strip_prefix('(')?;
        let end = closing(inside)?;
        let content = inside.get(..end)?;
        self.0 = inside.get(end + 1..)?;
        Some(Item { name: short(name), content: Content::Whole(content) })
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("ns3::").unwrap_or(name)
}

/// Position of the bracket that closes the one open at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The value of `key=value` in a list separated by commas or spaces.
pub(super) fn value<'a>(list: &'a str, key: &str) -> Option<&'a str> {
    list.split([' ', ',']).find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
}

/// The word after `label` and a space.
pub(super) fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(label)?;
    rest.strip_prefix(' ')?.split([' ', ',', ')']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_at_their_own_brackets() {
        let packet =
            "ns3::TcpHeader (9 > 5 [SYN] Seq=0 ns3::TcpOptionTS(600;0)) Payload Fragment [100:996] Payload (size=3) ";
        let items: Vec<Item<'_>> = Items(packet).collect();
        assert_eq!(
            items,
            [
                Item { name: "TcpHeader", content: Content::Whole("9 > 5 [SYN] Seq=0 ns3::TcpOptionTS(600;0)") },
                Item { name: "Payload", content: Content::Fragment(896) },
                Item { name: "Payload", content: Content::Whole("size=3") },
            ]
        );
    }

    #[test]
    fn what_does_not_close_ends_the_packet() {
        for packet in
            ["ns3::A", "ns3::A (", "ns3::A ((x)", "A Fragment [1", "A Fragment [2:1] ", "A Fragment [x:1] ", ")", ""]
        {
            assert_eq!(Items(packet).next(), None, "{packet}");
        }
    }

    #[test]
    fn values_are_found_by_their_whole_key() {
        let list = "DATA ToDS=1, FromDS=0 Duration/ID=60us, RA=a, DA(RA)=b";
        assert_eq!((value(list, "RA"), value(list, "DA(RA)"), value(list, "DS")), (Some("a"), Some("b"), None));
        assert_eq!(after("ttl 64 id 0 protocol 6 offset", "protocol"), Some("6"));
    }
}
