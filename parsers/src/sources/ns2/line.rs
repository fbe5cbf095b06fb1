//! One line of a trace, in any format; ns-2 writes all formats into one file.

use super::cursor::Cursor;
use super::{classic, tagged, wired};
use crate::frame::{Frame, FrameKind, Layer, ParseError};

/// Type of a line, detected from its first characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// An event of a wireless node in the classic format.
    Classic,
    /// An event of a wireless node in the tagged format.
    Tagged,
    /// An event of a wired link.
    Wired,
    /// Node movement, energy, routing debug output, comments, or an empty line.
    Other,
    /// Not written by a simulator.
    Unknown,
}

/// Detects the type of a line from its first characters.
#[inline]
pub(super) fn kind_of(line: &[u8]) -> LineKind {
    match line {
        [b's' | b'r' | b'D' | b'f', b' ', b'0'..=b'9', rest @ ..] => {
            let node = rest.iter().position(|&b| b == b' ').and_then(|space| rest.get(space + 1));
            match node {
                Some(b'_') => LineKind::Classic,
                Some(b'0'..=b'9') if matches!(line.first(), Some(b'r')) => LineKind::Wired,
                _ => LineKind::Unknown,
            }
        }
        [b'+' | b'-' | b'd' | b'e', b' ', b'0'..=b'9', ..] => LineKind::Wired,
        [b's' | b'r' | b'd' | b'D' | b'f', b' ', b'-', b't', b' ', ..] => LineKind::Tagged,
        _ if is_other(line) => LineKind::Other,
        _ => LineKind::Unknown,
    }
}

/// The row of an event line. A malformed line yields `parse_error` and no other valid field.
///
/// `length_bytes` of a MAC row is the printed size. Which headers that size counts depends on the simulation (see
/// [`super::settings`]).
#[inline]
pub(super) fn parse(line: &[u8], frame_no: u64) -> Frame {
    parse_as(kind_of(line), line, frame_no)
}

/// As above, for a line of a given type.
#[inline]
pub(super) fn parse_as(kind: LineKind, line: &[u8], frame_no: u64) -> Frame {
    let mut frame = Frame::new(frame_no, 0);
    let cursor = Cursor(line);
    let filled = match kind {
        LineKind::Tagged => tagged::fill(&mut frame, cursor),
        LineKind::Wired => wired::fill(&mut frame, cursor),
        LineKind::Classic | LineKind::Other | LineKind::Unknown => classic::fill(&mut frame, cursor),
    };
    if filled.is_none() {
        frame = Frame { parse_error: Some(ParseError::TraceLine), ..Frame::new(frame_no, frame.ts_ns) };
    }
    frame
}

/// True if no field used for the row can have been truncated at the end of this line.
pub(super) fn is_whole(line: &[u8], frame: &Frame) -> bool {
    let without_network = frame.layer == Layer::Mac && frame.kind != FrameKind::Data;
    // A truncated line of another format may still parse as a shorter line.
    let has_ended = kind_of(line) == LineKind::Classic && (without_network || frame.network.is_some());
    frame.parse_error.is_none() && has_ended
}

fn is_other(line: &[u8]) -> bool {
    let mut cursor = Cursor(line);
    match cursor.word() {
        None | Some([b'#' | b'\r', ..]) => true,
        Some(b"N") => cursor.looks_at(b"-t "),
        Some(word) => !matches!(word, b"s" | b"r" | b"D" | b"f") && cursor.seconds().is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (line, kind) in [
            ("s 1.024792381 _0_ MAC  --- 50 cbr 1078 [13a 1 0 800]", LineKind::Classic),
            ("d -t 1.295167551 -Hs 2 -Hd -2 -Ni 2", LineKind::Tagged),
            ("+ 0.1 0 1 tcp 40 ------- 0 0.0 1.0 0 0", LineKind::Wired),
            ("r 0.1 0 1 tcp 40 ------- 0 0.0 1.0 0 0", LineKind::Wired),
            ("d 1.029255 0 1 tcp 1040 ------- 0 0.0.0.0 1.0.1.0 6 12", LineKind::Wired),
            ("", LineKind::Other),
            ("M 0.50000 0 (10.00, 10.00, 0.00), (11.00, 12.00), 1.00", LineKind::Other),
            ("N -t 1.005485 -n 1 -e 99.899236", LineKind::Other),
            ("SFs 1.0 _0_ 0 [0 -> 2] 1(1) to 1 [0 |1 2 ]", LineKind::Other),
            ("Sconfig 0.00000 tap: on snoop: rts? on errs? on", LineKind::Other),
            ("v 0.5 link-down 1 0", LineKind::Other),
            ("v 0.59999999999999998 link-up 1 0", LineKind::Other),
            ("# a comment", LineKind::Other),
            ("hello world", LineKind::Unknown),
            ("s", LineKind::Unknown),
            ("s 0.1 0 1 tcp 40", LineKind::Unknown),
            ("\u{0}\u{1}", LineKind::Unknown),
            ("s x", LineKind::Unknown),
        ] {
            assert_eq!(kind_of(line.as_bytes()), kind, "{line}");
        }
    }
}
