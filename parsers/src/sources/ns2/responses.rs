//! Which frames of a tagged trace are CTS and which are RTS of the station with address 0.
//!
//! The format prints neither type nor size of what the MAC makes itself, only duration, receiver and
//! transmitter. A CTS has no transmitter, which prints as zero like the first station's address. But a
//! station sends a CTS only to whom it received an RTS from, and receives one only in answer to its own RTS.

use std::collections::HashMap;

use super::event;
use crate::frame::{Addr, Direction, Frame, FrameKind, Layer};

/// A bound on what is remembered, whatever the trace: ns-2 itself ends at 16384 nodes.
const MAX_NODES: usize = 1 << 16;

/// The RTS that are open at each node.
#[derive(Default)]
pub(super) struct Responses {
    nodes: HashMap<Addr, Open>,
}

/// What a node may yet answer, and have answered.
#[derive(Clone, Copy, Default)]
struct Open {
    /// Transmitter of the RTS it received last.
    received_from: Option<Addr>,
    /// Duration field of the RTS it sent last.
    sent_nav_us: Option<u16>,
}

impl Responses {
    /// Corrects the kind of rows as `line::parse` made them from tagged lines, in the order of the trace.
    pub(super) fn resolve(&mut self, rows: &mut [Frame]) {
        for row in rows.iter_mut().filter(|row| row.layer == Layer::Mac && row.parse_error.is_none()) {
            let Some(observer) = row.observer else { continue };
            if self.nodes.len() >= MAX_NODES {
                self.nodes.clear();
            }
            let open = self.nodes.entry(observer).or_default();
            if row.kind == FrameKind::Cts && !open.has_cts(row) {
                event::fill_mac_kind(row, b"RTS");
                row.ta = Some(event::station(0));
            }
            open.note(row);
        }
    }
}

impl Open {
    /// Is what looks like a CTS one?
    fn has_cts(&self, row: &Frame) -> bool {
        match row.direction {
            Some(Direction::Tx) => self.received_from.is_some() && self.received_from == row.ra,
            // A CTS announces less than its RTS did.
            _ => self.sent_nav_us > row.nav_us,
        }
    }

    fn note(&mut self, row: &Frame) {
        match (row.direction, row.kind) {
            (Some(Direction::Rx), FrameKind::Rts) => self.received_from = row.ta,
            (Some(Direction::Tx), FrameKind::Rts) => {
                *self = Open { received_from: None, sent_nav_us: row.nav_us };
            }
            (Some(Direction::Tx), _) => *self = Open::default(),
            (Some(Direction::Rx), FrameKind::Cts) => self.sent_nav_us = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;

    #[test]
    fn the_first_station_sends_and_answers() {
        let lines = [
            ("s", 0, "503 1 0", FrameKind::Rts), // from address 0
            ("r", 1, "503 1 0", FrameKind::Rts),
            ("s", 1, "3c9 0 0", FrameKind::Cts),
            ("r", 0, "3c9 0 0", FrameKind::Cts),
            ("s", 1, "503 0 1", FrameKind::Rts),
            ("r", 0, "503 0 1", FrameKind::Rts),
            ("s", 0, "3c9 1 0", FrameKind::Cts),
            ("r", 1, "3c9 1 0", FrameKind::Cts),
            ("s", 1, "0 0 0", FrameKind::Ack),
            ("r", 0, "0 0 0", FrameKind::Ack),
            ("s", 0, "503 1 0", FrameKind::Rts),
            ("d", 1, "503 1 0", FrameKind::Rts),
        ];
        let mut rows: Vec<Frame> = lines
            .iter()
            .map(|(operation, node, mac, _)| {
                let words: Vec<&str> = mac.split(' ').collect();
                let text = format!(
                    "{operation} -t 1.0 -Hs {node} -Hd -2 -Ni {node} -Nl MAC -Nw --- -Ma {} -Md {} -Ms {} -Mt 0 ",
                    words[0], words[1], words[2]
                );
                line::parse(text.as_bytes(), 1)
            })
            .collect();
        Responses::default().resolve(&mut rows);
        for (row, (_, _, _, kind)) in rows.iter().zip(lines) {
            assert_eq!((row.parse_error, row.kind), (None, kind), "{row:?}");
            assert_eq!(row.ta.is_some(), kind == FrameKind::Rts);
        }
    }
}
