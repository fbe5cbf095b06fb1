//! Contents and inferred properties of a recording: the output of `winf info`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::announcements::Announcement;
use super::audit::AuditRow;
use crate::base::Warning;
use crate::clock::{GroupConvention, TimeScale};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Direction, Frame, FrameKind, Phy};
use crate::sources::Digest;

/// A simulation is shorter; a stamp of a host's clock is later.
const YEAR_NS: i64 = 365 * 86_400 * 1_000_000_000;

/// Statistics of one recording. Memory does not grow with its length.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Properties of the container, in order.
    pub facts: Vec<(&'static str, String)>,
    /// Damage found in the container.
    pub warnings: Vec<Warning>,
    /// Inferred properties of each radio, by radio number. A capture of several interfaces has several radios.
    pub radios: Vec<RadioSummary>,
    /// Counts of rows.
    pub counts: Counts,
    /// Length and hash of the file as far as it was read, where [`super::Settings::digests_input`] asked for it.
    pub input: Option<Digest>,
}

/// Inferred properties of one radio of a recording.
#[derive(Clone, Debug, Default)]
pub struct RadioSummary {
    /// The recording station; `None` for an anonymous sniffer or a global trace.
    pub observer: Option<Addr>,
    /// Frames it recorded.
    pub frames: u64,
    /// Warnings about uncertain results.
    pub warnings: Vec<Warning>,
    /// Instant that the stamps mark, per direction and PHY.
    pub clock: Vec<GroupConvention>,
    /// Statistics of the clocks.
    pub time_scale: TimeScale,
    /// Capabilities that stations announced.
    pub announcements: Vec<Announcement>,
    /// Physical rules, and how far the recording keeps them.
    pub audit: Vec<AuditRow>,
}

/// The counts of a [`Summary`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Number of frames (or trace events).
    pub frames: u64,
    /// Number of exchanges.
    pub exchanges: u64,
    /// Earliest record stamp, nanoseconds.
    pub first_ns: Option<i64>,
    /// Latest record stamp, nanoseconds.
    pub last_ns: Option<i64>,
    /// Frames with TSFT (a MAC time).
    pub with_tsft: u64,
    /// Frames whose FCS was checked.
    pub with_fcs: u64,
    /// Frames with a bad FCS.
    pub bad_fcs: u64,
    /// Frames with a known airtime.
    pub with_airtime: u64,
    /// Frames with a signal strength.
    pub with_signal: u64,
    /// Frames sent by the capturing station itself.
    pub sent: u64,
    /// Rows that could not be parsed completely.
    pub parse_errors: u64,
    /// Exchanges that are complete (answered if an answer was due).
    pub complete_exchanges: u64,
    /// Exchanges whose sender the observer does not receive (hidden sender).
    pub hidden_exchanges: u64,
    /// Frames by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Frames by PHY.
    pub phys: BTreeMap<&'static str, u64>,
    /// Frames by channel, MHz.
    pub channels: BTreeMap<u16, u64>,
    /// Deauthentications and disassociations by reason code.
    pub reason_codes: BTreeMap<u16, u64>,
    /// Authentications and association responses by status code.
    pub status_codes: BTreeMap<u16, u64>,
    /// Frames by the assumption made for their airtime.
    pub assumptions: BTreeMap<String, u64>,
}

impl Summary {
    /// Damage and warnings by radio. Those of the container are assigned to the first radio.
    pub fn warnings_by_radio(&self) -> Vec<Vec<Warning>> {
        let mut by_radio: Vec<Vec<Warning>> = self.radios.iter().map(|radio| radio.warnings.clone()).collect();
        match by_radio.first_mut() {
            Some(first) => drop(first.splice(0..0, self.warnings.iter().cloned())),
            None => by_radio.push(self.warnings.clone()),
        }
        by_radio
    }

    /// Capabilities that stations announced, by the radio that received them.
    pub fn announcements_by_radio(&self) -> Vec<Vec<Announcement>> {
        self.radios.iter().map(|radio| radio.announcements.clone()).collect()
    }

    /// Audit by radio.
    pub fn audit_by_radio(&self) -> Vec<Vec<AuditRow>> {
        self.radios.iter().map(|radio| radio.audit.clone()).collect()
    }

    /// Adds frames to the counts.
    pub fn count_frames(&mut self, frames: &[Frame]) {
        let counts = &mut self.counts;
        let mut kinds = [0; FrameKind::ALL.len()];
        let mut phys = [0; Phy::ALL.len()];
        let mut channels = Runs::default();
        let mut assumptions = Runs::default();
        counts.frames += frames.len() as u64;
        for frame in frames {
            counts.first_ns = Some(earliest(counts.first_ns, frame.ts_ns));
            counts.last_ns = Some(counts.last_ns.map_or(frame.ts_ns, |last| last.max(frame.ts_ns)));
            counts.with_tsft += u64::from(frame.tsft_us.is_some());
            counts.with_fcs += u64::from(frame.fcs_ok.is_some());
            counts.bad_fcs += u64::from(frame.fcs_ok == Some(false));
            counts.with_airtime += u64::from(frame.airtime_us.is_some());
            counts.with_signal += u64::from(frame.signal_dbm.is_some());
            counts.sent += u64::from(frame.direction == Some(Direction::Tx));
            counts.parse_errors += u64::from(frame.parse_error.is_some());
            kinds.get_mut(frame.kind as usize).into_iter().for_each(|count| *count += 1);
            let phy = frame.phy.and_then(|phy| phys.get_mut(phy as usize));
            phy.into_iter().for_each(|count| *count += 1);
            channels.add(frame.channel_mhz);
            if let Some(body) = frame.management.as_ref().filter(|_| frame.is_readable()) {
                add_members(&mut counts.reason_codes, body.reason.map(|code| (code, 1)).into_iter());
                add_members(&mut counts.status_codes, body.status.map(|code| (code, 1)).into_iter());
            }
            assumptions.add(Some(frame.assumptions).filter(|set| !set.is_empty()));
        }
        add_members(&mut counts.kinds, FrameKind::ALL.iter().map(|kind| kind.name()).zip(kinds));
        add_members(&mut counts.phys, Phy::ALL.iter().map(|phy| phy.name()).zip(phys));
        add_members(&mut counts.channels, channels.finish());
        add_members(&mut counts.assumptions, assumptions.finish().map(|(set, n)| (set.text(), n)));
    }

    /// Adds exchanges to the counts.
    pub fn count_exchanges(&mut self, exchanges: &[Exchange]) {
        let counts = &mut self.counts;
        counts.exchanges += exchanges.len() as u64;
        for exchange in exchanges {
            counts.complete_exchanges += u64::from(exchange.complete);
            counts.hidden_exchanges += u64::from(exchange.hidden);
        }
    }
}

/// The earliest stamp. Zero in a recording of later years is a stamp that was not taken.
fn earliest(first_ns: Option<i64>, ts_ns: i64) -> i64 {
    match first_ns {
        None => ts_ns,
        Some(0) if ts_ns > YEAR_NS => ts_ns,
        Some(first) if ts_ns == 0 && first > YEAR_NS => first,
        Some(first) => first.min(ts_ns),
    }
}

fn add_members<K: Ord>(totals: &mut BTreeMap<K, u64>, counts: impl Iterator<Item = (K, u64)>) {
    counts.filter(|&(_, count)| count > 0).for_each(|(key, count)| *totals.entry(key).or_default() += count);
}

/// Counts distinct values in sequences with long runs of equal values. The map is accessed once per run.
struct Runs<K> {
    run: Option<(K, u64)>,
    counts: BTreeMap<K, u64>,
}

impl<K> Default for Runs<K> {
    fn default() -> Self {
        Runs { run: None, counts: BTreeMap::new() }
    }
}

impl<K: Copy + Ord> Runs<K> {
    fn add(&mut self, key: Option<K>) {
        let Some(key) = key else { return };
        match &mut self.run {
            Some((current, count)) if *current == key => *count += 1,
            run => {
                let ended = run.replace((key, 1));
                add_members(&mut self.counts, ended.into_iter());
            }
        }
    }

    fn finish(mut self) -> impl Iterator<Item = (K, u64)> {
        add_members(&mut self.counts, self.run.into_iter());
        self.counts.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_of_zero_does_not_begin_a_recording_of_later_years() {
        let span = |stamps: &[i64]| {
            let mut summary = Summary::default();
            summary.count_frames(&stamps.iter().map(|&ts_ns| Frame::new(1, ts_ns)).collect::<Vec<_>>());
            (summary.counts.first_ns, summary.counts.last_ns)
        };
        let now = 40 * YEAR_NS;
        assert_eq!(span(&[now, 0, now + 5]), (Some(now), Some(now + 5)));
        assert_eq!(span(&[0, now]), (Some(now), Some(now)));
        assert_eq!(span(&[0, 7]), (Some(0), Some(7)), "a simulation begins at zero");
    }

    #[test]
    fn counts_add_up_over_batches() {
        let frame = |channel| Frame { channel_mhz: Some(channel), phy: Some(Phy::Ht), ..Frame::new(1, 7) };
        let mut summary = Summary::default();
        summary.count_frames(&[frame(2412), frame(2412), frame(5180), frame(2412)]);
        summary.count_frames(&[frame(5180), Frame::new(5, 3)]);
        assert_eq!(summary.counts.channels, BTreeMap::from([(2412, 3), (5180, 2)]));
        assert_eq!(summary.counts.phys, BTreeMap::from([("ht", 5)]));
        assert_eq!((summary.counts.first_ns, summary.counts.last_ns), (Some(3), Some(7)));
        assert_eq!(summary.counts.frames, 6);
    }
}
