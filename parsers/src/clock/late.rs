//! Answers that all appear later or earlier than the standard allows.

use super::convention::Group;
use super::offsets::{Offsets, Samples, TOLERANCE_US};

/// A station answers within a tenth of a slot of SIFS (IEEE 802.11-2020, 10.3.7): 2 us where slots last 20.
const ALLOWED_US: f64 = 2.0;
/// The most that is taken for a property of the recorder.
const MAX_US: f64 = 10.0;
/// Minimum number of answers.
const MIN_ANSWERS: usize = 5;

/// For each group, how late its stamps of answers are, microseconds.
///
/// Answers of one PHY to frames of the same PHY have no offset against them. If they nevertheless all miss SIFS by
/// more than stations are allowed to, the recorder stamps answers late (receivers of DSSS find the start of a frame
/// from another transmitter 3 to 8 us late), and the standard's gap is the better estimate.
pub(super) fn late_answers_us(samples: &Samples, offsets: &Offsets) -> [f64; Group::COUNT] {
    let mut late_us = [0.0; Group::COUNT];
    for group in Group::all() {
        let answers = samples.answers.iter().filter(|sample| sample.is_answer && sample.second == group);
        let gaps = answers.map(|sample| offsets.gap_us(sample)).filter(|gap| gap.abs() <= MAX_US);
        let mut gaps: Vec<f64> = gaps.collect();
        gaps.sort_unstable_by(f64::total_cmp);
        let within = |by: f64| gaps.iter().filter(|gap| (*gap - by).abs() <= TOLERANCE_US).count();
        let Some(&median) = gaps.get(gaps.len() / 2) else { continue };
        if gaps.len() >= MIN_ANSWERS && median.abs() > ALLOWED_US && within(median) > within(0.0) {
            late_us[group.index()] = median;
        }
    }
    late_us
}
