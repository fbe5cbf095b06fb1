//! Mapping from the clock of one recording to that of another.

use crate::base::numbers::whole;

/// Piecewise linear clock map: the offset to add to a time of the source's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockMap {
    pieces: Vec<Piece>,
}

/// One linear piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// First instant of the piece, nanoseconds of the source's clock. Earlier instants belong to the previous
    /// piece.
    pub from_ns: i64,
    /// Reference point of the piece on the source's clock, at the middle of the shared frames.
    pub at_ns: i64,
    /// Offset to add at the reference point.
    pub offset_ns: i64,
    /// Change of the offset, nanoseconds per nanosecond of the source's clock.
    pub slope: f64,
}

impl ClockMap {
    /// The map that changes nothing.
    pub fn identity() -> ClockMap {
        ClockMap { pieces: Vec::new() }
    }

    /// Map made of `pieces`, which are in order of time.
    pub(super) fn new(pieces: Vec<Piece>) -> ClockMap {
        ClockMap { pieces }
    }

    /// The pieces, in order of time; empty for the identity.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Offset to add to an instant of the source's clock.
    pub fn offset_ns(&self, at_ns: i64) -> i64 {
        let after = self.pieces.partition_point(|piece| piece.from_ns <= at_ns);
        let Some(piece) = self.pieces.get(after.saturating_sub(1)) else { return 0 };
        let since_ns = at_ns.saturating_sub(piece.at_ns) as f64;
        piece.offset_ns.saturating_add(whole((piece.slope * since_ns).round()))
    }

    /// Converts an instant of the source's clock to the reference clock.
    pub fn apply(&self, at_ns: i64) -> i64 {
        at_ns.saturating_add(self.offset_ns(at_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_has_its_time() {
        let piece = |from_ns, offset_ns, slope| Piece { from_ns, at_ns: 1000, offset_ns, slope };
        let map = ClockMap::new(vec![piece(0, 50, 0.0), piece(500, 70, 1e-2)]);
        assert_eq!([map.apply(-10), map.apply(499), map.apply(500), map.apply(1100)], [40, 549, 565, 1171]);
        assert_eq!(ClockMap::identity().apply(i64::MIN), i64::MIN);
        assert_eq!(map.apply(i64::MAX), i64::MAX);
    }
}
