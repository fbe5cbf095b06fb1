//! Which positions of an unwrapped counter were heard.

use std::collections::VecDeque;

use super::Heard;

/// Positions in a block.
const BLOCK: i64 = 64;

/// Blocks in memory: a counter that goes back further than they reach is counted anew there.
const MAX_BLOCKS: usize = 1024;

/// Positions of a counter that begins at 0.
#[derive(Clone, Default)]
pub(super) struct Positions {
    now: i64,
    /// Least and greatest, once there are any.
    range: Option<(i64, i64)>,
    firsts: i64,
    heard: i64,
    /// By block, in order: its number, and a bit for each of its positions, of first attempts and of all.
    blocks: VecDeque<(i64, [u64; 2])>,
}

impl Positions {
    /// Goes on by `step`; `is_first`: what was heard there is no repetition.
    pub(super) fn step(&mut self, step: i64, is_first: bool) {
        self.now = self.now.saturating_add(step);
        let (least, greatest) = self.range.unwrap_or((self.now, self.now));
        self.range = Some((least.min(self.now), greatest.max(self.now)));
        let bit = 1 << self.now.rem_euclid(BLOCK);
        let [firsts, all] = self.bits(self.now.div_euclid(BLOCK));
        let is_new = *all & bit == 0;
        *all |= bit;
        let is_new_first = is_first && *firsts & bit == 0;
        *firsts |= if is_first { bit } else { 0 };
        self.heard += i64::from(is_new);
        self.firsts += i64::from(is_new_first);
    }

    pub(super) fn sums(&self) -> Heard {
        let span = self.range.map_or(0, |(least, greatest)| greatest.saturating_sub(least).saturating_add(1));
        Heard { firsts: self.firsts, heard: self.heard, span }
    }

    fn bits(&mut self, block: i64) -> &mut [u64; 2] {
        // Nearly always the last one.
        let after = self.blocks.iter().rev().take_while(|&&(number, _)| number > block).count();
        let mut place = self.blocks.len() - after;
        let is_there = place.checked_sub(1).is_some_and(|before| self.blocks[before].0 == block);
        if is_there {
            place -= 1;
        } else {
            self.blocks.insert(place, (block, [0; 2]));
            if self.blocks.len() > MAX_BLOCKS {
                if place > 0 {
                    self.blocks.pop_front();
                    place -= 1;
                } else {
                    self.blocks.pop_back();
                }
            }
        }
        &mut self.blocks[place].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_far_back_are_found_again() {
        let mut positions = Positions::default();
        let steps = [0, 1, 700, -700, -1, -300, 300, 1, 700];
        for step in steps {
            positions.step(step, true);
        }
        assert_eq!(positions.sums(), Heard { firsts: 4, heard: 4, span: 1002 });
    }

    #[test]
    fn memory_is_bounded() {
        let mut positions = Positions::default();
        for _ in 0..10_000 {
            positions.step(BLOCK + 1, true);
        }
        assert!(positions.blocks.len() <= MAX_BLOCKS);
        assert_eq!(positions.sums(), Heard { firsts: 10_000, heard: 10_000, span: 9_999 * (BLOCK + 1) + 1 });
        for _ in 0..2 * MAX_BLOCKS {
            positions.step(-BLOCK - 1, true);
        }
        assert!(positions.blocks.len() <= MAX_BLOCKS);
    }
}
