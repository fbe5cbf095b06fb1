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
    /// Boxed, because few stations of a flood of addresses have one.
    ssids: Option<Box<Ssids>>,
    pub(super) frames: i64,
    pub(super) bytes: Option<i64>,
    airtime_ns: Option<i64>,
    pub(super) data_frames: i64,
    pub(super) retries: i64,
    signal_sum: i64,
    signals: i64,
    /// Time stamps of the first and last frame.
    pub(super) span_ns: Option<(i64, i64)>,
}

/// The first network name that a station announced, and the first in its other frames.
#[derive(Clone, Copy, Default)]
struct Ssids {
    announced: Option<Named>,
    other: Option<Named>,
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
            let ssids = self.ssids.get_or_insert_default();
            let first = if announces { &mut ssids.announced } else { &mut ssids.other };
            *first = earlier(*first, Some(named), names);
        }
        self.frames += 1;
        self.bytes = sum(self.bytes, frame.length_bytes.map(i64::from));
        self.airtime_ns = sum(self.airtime_ns, frame.airtime_us.and_then(nanoseconds));
        self.data_frames += i64::from(frame.kind == Kind::Data);
        self.retries += i64::from(frame.retry && frame.kind != Kind::Control);
        self.signal_sum += frame.signal_dbm.map_or(0, i64::from);
        self.signals += i64::from(frame.signal_dbm.is_some());
        self.span_ns = union(self.span_ns, Some((frame.ts_ns, frame.ts_ns)));
    }

    pub(super) fn merge(&mut self, other: &Station, names: &Names) {
        self.announced |= other.announced;
        self.own_bssid |= other.own_bssid;
        if let Some(others) = &other.ssids {
            let ssids = self.ssids.get_or_insert_default();
            ssids.announced = earlier(ssids.announced, others.announced, names);
            ssids.other = earlier(ssids.other, others.other, names);
        }
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
        let ssids = self
            .ssids
            .as_deref()
            .map(|ssids| Ssids { announced: ssids.announced.map(rename), other: ssids.other.map(rename) });
        Station { ssids: ssids.map(Box::new), ..self.clone() }
    }

    /// The network name that it announced first, else the first one in its other frames.
    pub(super) fn ssid(&self) -> u32 {
        self.ssids.as_ref().and_then(|ssids| ssids.announced.or(ssids.other)).map_or(NOBODY, |named| named.ssid)
    }

    pub(super) fn airtime_us(&self) -> Option<f64> {
        self.airtime_ns.map(|ns| ns as f64 / 1000.0)
    }

    pub(super) fn signal_dbm(&self) -> Option<f64> {
        (self.signals > 0).then(|| self.signal_sum as f64 / self.signals as f64)
    }
}

/// Of what is never below zero.
fn sum(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

fn nanoseconds(us: f64) -> Option<i64> {
    us.is_finite().then(|| (us * 1000.0).round() as i64)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_is_small_because_a_recording_may_hold_millions() {
        assert!(size_of::<Station>() <= 128, "{}", size_of::<Station>());
    }
}
