//! Answers that all appear later or earlier than the standard allows.

use super::convention::Group;
use super::mode::mode;
use super::offsets::{Offsets, Samples};

/// A station answers within a tenth of a slot of SIFS (IEEE 802.11-2020, 10.3.7): 2 us where slots last 20.
const ALLOWED_US: f64 = 2.0;
/// The most that is taken for a property of the recorder.
const MAX_US: f64 = 10.0;
/// Half the width of what two stamps in whole microseconds and their jitter allow.
const AGREEMENT_US: f64 = 4.0;
/// Minimum number of answers.
const MIN_ANSWERS: usize = 5;

/// Adds to the offsets how late the answers of each group are stamped.
///
/// Answers of one PHY to frames of the same PHY have no offset against them. If they nevertheless all miss SIFS by
/// more than stations are allowed to, the recorder stamps answers late (receivers of DSSS find the start of a frame
/// from another transmitter 3 to 8 us late), and the standard's gap is the better estimate.
pub(super) fn with_late_answers(samples: &Samples, offsets: Offsets) -> Offsets {
    let mut found = offsets;
    for group in Group::all() {
        let answers = samples.answers.iter().filter(|sample| sample.is_second_answer() && sample.second == group);
        let gaps = answers.map(|sample| found.gap_us(sample)).filter(|gap| gap.abs() <= MAX_US);
        let Some(late) = mode(gaps).filter(|late| late.count >= MIN_ANSWERS && late.value.abs() > ALLOWED_US) else {
            continue;
        };
        let mut moved = found;
        moved.late_us[group] = late.value;
        if explained(samples, &moved) > explained(samples, &found) {
            found = moved;
        }
    }
    found
}

/// Gaps that are SIFS, to what two stamps allow.
fn explained(samples: &Samples, offsets: &Offsets) -> usize {
    samples.answers.iter().filter(|sample| offsets.gap_us(sample).abs() <= AGREEMENT_US).count()
}
