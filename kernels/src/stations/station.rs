//! What one station sent.

use super::{Frame, Kind};
use crate::names::{Names, NOBODY};

/// Sums over the frames of a station. Times are whole nanoseconds, so that their order makes no difference.
#[derive(Clone, Default)]
pub(super) struct Station {
    /// It sent beacons or probe responses.
    pub(super) announced: bool,
    /// It sent them with its own address as BSSID.
    pub(super) own_bssid: bool,
    announced_ssid: Option<Named>,
    other_ssid: Option<Named>,
    pub(super) frames: i64,
    pub(super) bytes: Option<i64>,
    airtime_ns: Option<i128>,
    pub(super) data_frames: i64,
    pub(super) retries: i64,
    signal_sum: i64,
    signals: i64,
    /// Time stamps of the first and last frame.
    pub(super) span_ns: Option<(i64, i64)>,
}

/// A network name, and the frame that it is from.
#[derive(Clone, Copy)]
struct Named {
    source: u32,
    frame_no: i64,
    ssid: u32,
}

impl Station {
    pub(super) fn add(&mut self, frame: &Frame, names: &Names) {
        let announces = frame.kind == Kind::Announcement;
        self.announced |= announces;
        self.own_bssid |= announces && frame.bssid == frame.ta;
        if frame.ssid != NOBODY {
            let named = Named { source: frame.source, frame_no: frame.frame_no, ssid: frame.ssid };
            let first = if announces { &mut self.announced_ssid } else { &mut self.other_ssid };
            *first = earlier(*first, Some(named), names);
        }
        self.frames += 1;
        self.bytes = sum(self.bytes, frame.length_bytes.map(i64::from));
        self.airtime_ns = sum(self.airtime_ns, frame.airtime_us.and_then(nanoseconds));
        self.data_frames += i64::from(frame.kind == Kind::Data);
        self.retries += i64::from(frame.retry);
        self.signal_sum += frame.signal_dbm.map_or(0, i64::from);
        self.signals += i64::from(frame.signal_dbm.is_some());
        self.span_ns = union(self.span_ns, Some((frame.ts_ns, frame.ts_ns)));
    }

    pub(super) fn merge(&mut self, other: &Station, names: &Names) {
        self.announced |= other.announced;
        self.own_bssid |= other.own_bssid;
        self.announced_ssid = earlier(self.announced_ssid, other.announced_ssid, names);
        self.other_ssid = earlier(self.other_ssid, other.other_ssid, names);
        self.frames += other.frames;
        self.bytes = sum(self.bytes, other.bytes);
        self.airtime_ns = sum(self.airtime_ns, other.airtime_ns);
        self.data_frames += other.data_frames;
        self.retries += other.retries;
        self.signal_sum += other.signal_sum;
        self.signals += other.signals;
        self.span_ns = union(self.span_ns, other.span_ns);
    }

    /// The same with other numbers for names.
    pub(super) fn renamed(&self, renamed: impl Fn(u32) -> u32) -> Station {
        let rename = |named: Named| Named { source: renamed(named.source), ssid: renamed(named.ssid), ..named };
        Station {
            announced_ssid: self.announced_ssid.map(rename),
            other_ssid: self.other_ssid.map(rename),
            ..self.clone()
        }
    }

    /// The network name that it announced first, else the first one in its other frames.
    pub(super) fn ssid(&self) -> u32 {
        self.announced_ssid.or(self.other_ssid).map_or(NOBODY, |named| named.ssid)
    }

    pub(super) fn airtime_us(&self) -> Option<f64> {
        self.airtime_ns.map(|ns| ns as f64 / 1000.0)
    }

    pub(super) fn signal_dbm(&self) -> Option<f64> {
        (self.signals > 0).then(|| self.signal_sum as f64 / self.signals as f64)
    }
}

fn sum<T: std::ops::Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

fn nanoseconds(us: f64) -> Option<i128> {
    let ns = (us * 1000.0).round();
    (ns.abs() < i64::MAX as f64).then_some(ns as i128)
}

fn union(one: Option<(i64, i64)>, other: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

/// The name from the frame that is first by name of the source and number.
fn earlier(one: Option<Named>, other: Option<Named>, names: &Names) -> Option<Named> {
    let place = |named: &Named| (names.text(named.source), named.frame_no);
    match (one, other) {
        (Some(one), Some(other)) if one.source == other.source && one.frame_no <= other.frame_no => Some(one),
        (one, other) => one.into_iter().chain(other).min_by(|a, b| place(a).cmp(&place(b))),
    }
}
