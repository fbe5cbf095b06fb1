//! Caches field offsets per sequence of present words.
//!
//! A radio uses only a few layouts. The present words determine the offset of each field, unless vendor data lie in
//! between. The steps of one header walk are therefore cached and replayed for later headers with the same present
//! words.

use std::cell::RefCell;

use super::decoding::Decoding;
use super::header::Fault;
use super::table::Field;
use super::tlv;
use super::walk::{self, Visitor, PREFIX};

/// Number of layouts cached per thread.
const LAYOUTS: usize = 4;
/// Maximum length of the present words of a cached layout, octets: more than radios with eight antennas need.
const MAX_WORD_BYTES: usize = 64;

thread_local! {
    static KNOWN: RefCell<Layouts> = const { RefCell::new(Layouts { known: Vec::new(), oldest: 0 }) };
}

/// Applies the fields of `header` (whole, from its version octet) in order, as [`walk::walk`] does.
pub(super) fn read(header: &[u8], decoding: &mut Decoding<'_>) -> Result<(), Fault> {
    KNOWN.with_borrow_mut(|layouts| match layouts.of(header) {
        Some(layout) if !layout.is_walked && header.len() >= layout.least_bytes => layout.apply(header, decoding),
        _ => walk::walk(header, decoding),
    })
}

/// The cached layouts.
struct Layouts {
    known: Vec<Layout>,
    /// Index of the layout to evict next.
    oldest: usize,
}

/// The steps of a walk over headers with these present words.
#[derive(Default)]
struct Layout {
    /// The octets of the present words. No sequence is a prefix of another: the last word is marked as the last.
    words: Vec<u8>,
    steps: Vec<Step>,
    /// Offset of the type-length-value items, if any.
    items_at: Option<usize>,
    /// Header length that the steps require, octets.
    least_bytes: usize,
    /// The present words do not determine the field offsets, or contain an unknown field.
    is_walked: bool,
}

enum Step {
    Field(&'static Field, usize),
    EndWord,
}

impl Layouts {
    /// The layout of `header`; `None` if it cannot be derived from this header.
    fn of(&mut self, header: &[u8]) -> Option<&Layout> {
        let words = header.get(PREFIX..)?;
        let place = match self.known.iter().position(|layout| words.starts_with(&layout.words)) {
            Some(place) => place,
            None => self.learn(Layout::learn(header)?),
        };
        self.known.get(place)
    }

    fn learn(&mut self, layout: Layout) -> usize {
        if self.known.len() < LAYOUTS {
            self.known.push(layout);
            return self.known.len() - 1;
        }
        let place = self.oldest;
        self.oldest = (place + 1) % LAYOUTS;
        if let Some(forgotten) = self.known.get_mut(place) {
            *forgotten = layout;
        }
        place
    }
}

impl Layout {
    /// Derives the layout from a header that contains all of its fields.
    fn learn(header: &[u8]) -> Option<Layout> {
        let words = header.get(PREFIX..PREFIX + walk::present_bytes(header, MAX_WORD_BYTES)?)?;
        let mut layout = Layout { words: words.to_vec(), ..Layout::default() };
        match walk::walk(header, &mut layout) {
            Ok(()) => {}
            Err(Fault::UnknownBit(_)) => layout.is_walked = true,
            Err(Fault::Overrun) => return None,
        }
        Some(layout)
    }

    /// Applies the fields of a header with this layout and sufficient length.
    fn apply(&self, header: &[u8], decoding: &mut Decoding<'_>) -> Result<(), Fault> {
        for step in &self.steps {
            match step {
                Step::Field(field, at) => {
                    let octets = header.get(*at..at + field.size).ok_or(Fault::Overrun)?;
                    (field.apply)(decoding, octets);
                }
                Step::EndWord => decoding.end_word(),
            }
        }
        match self.items_at {
            Some(at) => tlv::walk(header.get(at..).unwrap_or_default(), decoding),
            None => Ok(()),
        }
    }
}

impl Visitor for Layout {
    fn field(&mut self, field: &'static Field, at: usize, _: &[u8]) {
        self.steps.push(Step::Field(field, at));
        self.least_bytes = at + field.size;
    }

    fn end_word(&mut self) {
        self.steps.push(Step::EndWord);
    }

    fn vendor_data(&mut self) {
        self.is_walked = true;
    }

    fn items(&mut self, at: usize, _: &[u8]) -> Result<(), Fault> {
        self.items_at = Some(at);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;

    type Read = fn(&[u8], &mut Decoding<'_>) -> Result<(), Fault>;

    /// Complete result of decoding.
    fn state(header: &[u8], read: Read) -> impl PartialEq + std::fmt::Debug {
        let mut frame = Frame::new(1, 0);
        let mut decoding = Decoding::new(&mut frame);
        let fault = read(header, &mut decoding).err();
        decoding.finish();
        let (flags, no_psdu) = (decoding.flags, decoding.no_psdu);
        (fault, flags, no_psdu, frame)
    }

    /// A header with one of a few chains of present words (some invalid), and arbitrary octets and length.
    fn header(mut random: impl FnMut() -> u32) -> Vec<u8> {
        const WORDS: [u32; 8] = [
            0x0000_482f,
            0x0010_082b,
            0x0008_006f,
            0x0020_000b,
            0x1080_0003,
            0x4000_0001, // a vendor's
            0x2000_0820,
            0x7000_0000, // contradictory
        ];
        let mut header = vec![0; PREFIX];
        let mut more = true;
        while more {
            more = random().is_multiple_of(2) && header.len() < 100;
            let word = match random() % 16 {
                0 => random(),
                _ => WORDS[random() as usize % WORDS.len()],
            };
            header.extend((word & !(1 << 31) | u32::from(more) << 31).to_le_bytes());
        }
        let fields = random() as usize % 96;
        header.extend((0..fields).map(|_| random() as u8 >> (random() % 8)));
        header
    }

    #[test]
    fn headers_are_read_as_if_walked() {
        let mut state_of_random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state_of_random ^= state_of_random << 13;
            state_of_random ^= state_of_random >> 7;
            state_of_random ^= state_of_random << 17;
            (state_of_random >> 32) as u32
        };
        let mut known = 0;
        for _ in 0..40_000 {
            let header = header(&mut random);
            known +=
                usize::from(KNOWN.with_borrow(|layouts| {
                    layouts.known.iter().any(|layout| header[PREFIX..].starts_with(&layout.words))
                }));
            let walked = state(&header, |header, decoding| walk::walk(header, decoding));
            assert_eq!(state(&header, read), walked, "{header:02x?}");
        }
        assert!(known > 2_000, "{known} headers of a layout that was known");
        assert!(KNOWN.with_borrow(|layouts| layouts.known.len() == LAYOUTS));
    }
}
