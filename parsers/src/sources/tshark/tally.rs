//! Counts damage of single frames.

use crate::base::{Warning, WarningCode};
use crate::frame::ParseError;

/// Number of frames with a kind of damage, and the first of them.
#[derive(Debug, Default)]
pub(super) struct Tally {
    radiotap: Option<(u64, u64)>,
    header: Option<(u64, u64)>,
    time: Option<(u64, u64)>,
}

impl Tally {
    /// Counts the fault of frame `frame_no`, if it is damage of the recording.
    pub fn add(&mut self, error: Option<ParseError>, frame_no: u64) {
        let counter = match error {
            Some(ParseError::RadiotapCut | ParseError::RadiotapVersion) => &mut self.radiotap,
            Some(ParseError::HeaderCut | ParseError::ProtocolVersion) => &mut self.header,
            _ => return,
        };
        counter.get_or_insert((0, frame_no)).0 += 1;
    }

    /// Counts a frame without a time that a recording may have.
    pub fn add_time(&mut self, frame_no: u64) {
        self.time.get_or_insert((0, frame_no)).0 += 1;
    }

    /// One warning per kind of damage.
    pub fn warnings(&self) -> Vec<Warning> {
        let kinds = [
            (self.radiotap, WarningCode::RadiotapDamaged, "damaged radiotap header"),
            (self.header, WarningCode::HeaderUnreadable, "802.11 header not readable"),
            (self.time, WarningCode::TimeImpossible, "impossible time stamp"),
        ];
        let warning = |(counter, code, what): (Option<(u64, u64)>, WarningCode, &str)| {
            let (frames, first) = counter?;
            let plural = if frames == 1 { "" } else { "s" };
            let message = format!("{what} in {frames} frame{plural}, first in this one");
            Some(Warning { frame_no: Some(first), offset: None, code, message })
        };
        kinds.into_iter().filter_map(warning).collect()
    }
}
