//! Traces of ns-2: a line per event of every node, wireless or wired.
//!
//! `line` detects the format of each line. `classic` and `tagged` parse lines of wireless nodes, `wired` those of wired
//! links. Information that single lines omit is inferred from many lines: the rates (`inference`), the node of each MAC
//! address (`stations`) and the type of untyped control frames (`responses`). `settings` completes each row with the
//! result. `reader` applies these modules to a file.

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

/// True if the start of a file is an ns-2 trace. Any number of movement and other lines may come first. The first event
/// must be one of a wireless node or a wired link.
pub fn looks_like(prefix: &[u8]) -> bool {
    let mut movement = false;
    let mut lines = prefix.split(|&b| b == b'\n').peekable();
    while let Some(text) = lines.next() {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        match line::kind_of(text) {
            LineKind::Classic | LineKind::Tagged => return true,
            // The first characters are weak evidence, so the complete line must parse.
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
