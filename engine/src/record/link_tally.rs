//! Counts of one link: those of the bin, and those of the run up to it.

use crate::cross_layer::CrossLayer;
use crate::units::Nanos;

use super::links::{LinkBin, LinkTotal};
use super::Cause;

/// Counts of a link.
#[derive(Debug, Default)]
pub(super) struct LinkTally {
    bin: Counts,
    run: Counts,
    queue_packets: u32,
    queue_bytes: u64,
    busy: bool,
    /// Whether its controller takes it for congested; `None`: none has said so yet.
    congested: Option<bool>,
    changed_at: Nanos,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Packets times nanoseconds in the queue.
    packet_time: u128,
    /// Bytes times nanoseconds in the queue.
    byte_time: u128,
    busy_time: Nanos,
    congested_time: Nanos,
    packets_max: u32,
    bytes_max: u64,
    carried_packets: u64,
    carried_bytes: u64,
    attempts: u64,
    failed_collision: u64,
    failed_channel: u64,
    dropped: [u64; Cause::COUNT],
}

impl LinkTally {
    /// The queue has changed.
    pub(super) fn queue(&mut self, now: Nanos, packets: u32, bytes: u64) {
        self.advance(now);
        (self.queue_packets, self.queue_bytes) = (packets, bytes);
        self.bin.packets_max = self.bin.packets_max.max(packets);
        self.bin.bytes_max = self.bin.bytes_max.max(bytes);
    }

    /// A packet is taken into service, or the link is done with it.
    pub(super) fn service(&mut self, now: Nanos, busy: bool) {
        self.advance(now);
        self.busy = busy;
    }

    /// What its controller now takes it for.
    pub(super) fn congested(&mut self, now: Nanos, congested: bool) {
        self.advance(now);
        self.congested = Some(congested);
    }

    /// A packet reached the other end.
    pub(super) fn carried(&mut self, bytes: u32) {
        self.bin.carried_packets += 1;
        self.bin.carried_bytes += u64::from(bytes);
    }

    /// Attempts of so many packets ended; `failed_by_channel`: `None` if they did not fail.
    pub(super) fn attempts(&mut self, packets: u64, failed_by_channel: Option<bool>) {
        self.bin.attempts += packets;
        self.bin.failed_channel += packets * u64::from(failed_by_channel == Some(true));
        self.bin.failed_collision += packets * u64::from(failed_by_channel == Some(false));
    }

    /// A packet was lost.
    pub(super) fn dropped(&mut self, cause: Cause) {
        self.bin.dropped[cause as usize] += 1;
    }

    /// The bin from `start` to `now` is over.
    pub(super) fn close(&mut self, start: Nanos, now: Nanos, link: u32, cross_layer: &CrossLayer) -> LinkBin {
        self.advance(now);
        let next = Counts { packets_max: self.queue_packets, bytes_max: self.queue_bytes, ..Counts::default() };
        let bin = std::mem::replace(&mut self.bin, next);
        self.run.add(&bin);
        let share = |time: u128| time as f64 / (now - start) as f64;
        let bits = |bytes: Option<f64>| bytes.map(|bytes| bytes * 8.0).filter(|bits| bits.is_finite());
        let told = cross_layer.as_printed();
        LinkBin {
            t_ns: start,
            link,
            queue_packets_mean: share(bin.packet_time),
            queue_packets_max: bin.packets_max,
            queue_bytes_mean: share(bin.byte_time),
            queue_bytes_max: bin.bytes_max,
            utilisation: share(u128::from(bin.busy_time)),
            congested_share: self.congested.map(|_| share(u128::from(bin.congested_time))),
            carried_packets: bin.carried_packets,
            carried_bytes: bin.carried_bytes,
            attempts: bin.attempts,
            failed_collision: bin.failed_collision,
            failed_channel: bin.failed_channel,
            dropped_queue: bin.dropped[Cause::Queue as usize],
            dropped_retry: bin.dropped[Cause::Retry as usize],
            dropped_channel: bin.dropped[Cause::Channel as usize],
            capacity_bps: bits(told.capacity_bytes_per_s),
            available_bps: bits(told.available_bytes_per_s),
            collision_probability: cross_layer.collision_probability,
        }
    }

    /// The run is over.
    pub(super) fn total(&self, from: String, to: String, wired: bool, duration: Nanos) -> LinkTotal {
        let run = &self.run;
        LinkTotal {
            from,
            to,
            wired,
            queue_packets_mean: run.packet_time as f64 / duration as f64,
            queue_packets_max: run.packets_max,
            utilisation: run.busy_time as f64 / duration as f64,
            carried_packets: run.carried_packets,
            carried_bytes: run.carried_bytes,
            attempts: run.attempts,
            failed_collision: run.failed_collision,
            failed_channel: run.failed_channel,
            dropped_queue: run.dropped[Cause::Queue as usize],
            dropped_retry: run.dropped[Cause::Retry as usize],
            dropped_channel: run.dropped[Cause::Channel as usize],
        }
    }

    /// Charges the time since the last change.
    fn advance(&mut self, now: Nanos) {
        let span = now - self.changed_at;
        self.changed_at = now;
        self.bin.packet_time += u128::from(span) * u128::from(self.queue_packets);
        self.bin.byte_time += u128::from(span) * u128::from(self.queue_bytes);
        self.bin.busy_time += if self.busy { span } else { 0 };
        self.bin.congested_time += if self.congested == Some(true) { span } else { 0 };
    }
}

impl Counts {
    fn add(&mut self, bin: &Counts) {
        self.packet_time += bin.packet_time;
        self.byte_time += bin.byte_time;
        self.busy_time += bin.busy_time;
        self.packets_max = self.packets_max.max(bin.packets_max);
        self.bytes_max = self.bytes_max.max(bin.bytes_max);
        self.carried_packets += bin.carried_packets;
        self.carried_bytes += bin.carried_bytes;
        self.attempts += bin.attempts;
        self.failed_collision += bin.failed_collision;
        self.failed_channel += bin.failed_channel;
        self.dropped.iter_mut().zip(bin.dropped).for_each(|(total, new)| *total += new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_which_a_link_is_congested_is_charged_to_its_bins() {
        let mut link = LinkTally::default();
        let close =
            |link: &mut LinkTally, start, now| link.close(start, now, 0, &CrossLayer::default()).congested_share;
        assert_eq!(close(&mut link, 0, 10), None, "nobody has said anything");
        link.congested(12, true);
        link.congested(14, true);
        link.congested(15, false);
        link.congested(19, true);
        assert_eq!(close(&mut link, 10, 20), Some(0.4));
        assert_eq!(close(&mut link, 20, 30), Some(1.0));
    }
}
