//! Traces of ns-2: a line per event of every node, wireless or wired.
//!
//! `line` tells the formats of lines apart: `classic` and `tagged` read those of wireless nodes, `wired` those
//! of wired links. What lines leave out is found from many of them: `inference` finds the rates, `stations` whose
//! MAC address is whose, `responses` what untyped control frames are. `settings` completes each row with it;
//! `reader` runs all of them over a file.

mod classic;
mod cursor;
mod event;
mod inference;
mod line;
mod reader;
mod responses;
mod settings;
mod stations;
mod tagged;
mod wired;

pub use reader::Ns2Reader;

use line::LineKind;

/// True when the beginning of a file looks like a trace: its first event, after any number of movement
/// and other lines, is one of a wireless node or a wired link.
pub fn looks_like(prefix: &[u8]) -> bool {
    let mut movement = false;
    let mut lines = prefix.split(|&b| b == b'\n').peekable();
    while let Some(text) = lines.next() {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        match line::kind_of(text) {
            LineKind::Classic | LineKind::Tagged => return true,
            // Little is needed to look like one: the whole line has to be right.
            LineKind::Wired => return lines.peek().is_some() && line::parse(text, 1).parse_error.is_none(),
            LineKind::Other => movement |= text.starts_with(b"M ") && text.contains(&b'('),
            LineKind::Unknown => break,
        }
    }
    movement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_recognised_by_content() {
        let event = b"s 1.000000000 _0_ AGT  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 3:0 32 0] [0] 0 0\n";
        let movement = b"M 0.50000 0 (10.00, 10.00, 0.00), (11.00, 12.00), 1.00\n";
        assert!(looks_like(event));
        assert!(looks_like(movement));
        assert!(looks_like(&[&movement[..], event].concat()));
        assert!(looks_like(&event[..20]));
        assert!(looks_like(b"s -t 0.1 -Hs 0 -Hd -2\n"));
        assert!(looks_like(b"+ 1 0 2 tcp 40 ------- 0 0.0.0.0 1.0.1.0 0 3\n"));
        for other in
            [&b""[..], b"M 5 apples\n", b"\n\n", b"hello\n", b"\xd4\xc3\xb2\xa1", b"r 0.1 0 1 tcp 40 -------\n"]
        {
            assert!(!looks_like(other), "{:?}", String::from_utf8_lossy(other));
        }
    }
}
