//! Results per link.

use crate::units::Nanos;

use super::columns::columns;

columns! {
    /// One row per link and bin, bins in order of time, links within a bin in their order.
    LinkBins;
    /// A link over one bin.
    LinkBin {
        /// Start of the bin.
        t_ns: Nanos,
        /// Index of the link.
        link: u32,
        /// Packets in its queue, mean over time; the one in service is not in it.
        queue_packets_mean: f64,
        /// Most packets in its queue.
        queue_packets_max: u32,
        /// Bytes in its queue, mean over time.
        queue_bytes_mean: f64,
        /// Most bytes in its queue.
        queue_bytes_max: u64,
        /// Share of the time in which it had a packet in service.
        utilisation: f64,
        /// Share of the time in which its controller took it for congested; `None`: it holds no link to be.
        congested_share: Option<f64>,
        /// Packets that reached its other end.
        carried_packets: u64,
        /// Their bytes.
        carried_bytes: u64,
        /// Attempts that ended; on a wire, packets.
        attempts: u64,
        /// Attempts that failed because of another frame.
        failed_collision: u64,
        /// Attempts that failed because of the channel.
        failed_channel: u64,
        /// Packets that did not fit into the queue.
        dropped_queue: u64,
        /// Packets dropped after the last retry.
        dropped_retry: u64,
        /// Packets that the channel lost.
        dropped_channel: u64,
        /// Capacity in the cross-layer store at the end of the bin, bit/s; `None`: not measured yet.
        capacity_bps: Option<f64>,
        /// Available bandwidth there, bit/s.
        available_bps: Option<f64>,
        /// Collision probability there.
        collision_probability: f64,
    }
}

columns! {
    /// One row per link.
    LinkTotals;
    /// A link over the whole run.
    LinkTotal {
        /// Name of the node that sends.
        from: String,
        /// Name of the node that receives.
        to: String,
        /// Whether it is a wire.
        wired: bool,
        /// Packets in its queue, mean over time.
        queue_packets_mean: f64,
        /// Most packets in its queue.
        queue_packets_max: u32,
        /// Share of the time in which it had a packet in service.
        utilisation: f64,
        /// Packets that reached its other end.
        carried_packets: u64,
        /// Their bytes.
        carried_bytes: u64,
        /// Attempts that ended; on a wire, packets.
        attempts: u64,
        /// Attempts that failed because of another frame.
        failed_collision: u64,
        /// Attempts that failed because of the channel.
        failed_channel: u64,
        /// Packets that did not fit into the queue.
        dropped_queue: u64,
        /// Packets dropped after the last retry.
        dropped_retry: u64,
        /// Packets that the channel lost.
        dropped_channel: u64,
    }
}
