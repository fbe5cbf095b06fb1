//! Results per flow.

use crate::units::Nanos;

use super::columns::columns;

columns! {
    /// One row per flow and bin, bins in order of time, flows within a bin in their order.
    FlowBins;
    /// A flow over one bin.
    FlowBin {
        /// Start of the bin.
        t_ns: Nanos,
        /// Index of the flow.
        flow: u32,
        /// Data packets its source sent, retransmissions included.
        sent_packets: u64,
        /// Their bytes, headers included.
        sent_bytes: u64,
        /// Data packets that arrived at its destination, duplicates included.
        received_packets: u64,
        /// Their bytes, headers included.
        received_bytes: u64,
        /// Payload handed to the application, each byte once and in order, bit/s.
        throughput_bps: f64,
        /// Mean time from source to destination of the data packets that arrived; `None` if none did.
        delay_ns: Option<Nanos>,
        /// Mean round-trip time of what was acknowledged and never sent twice; `None` if nothing was.
        rtt_ns: Option<Nanos>,
        /// Window at the end of the bin, bytes; `None`: the source has none.
        window_bytes: Option<f64>,
        /// Pace at the end of the bin, bit/s; `None`: the source does not pace.
        pacing_bps: Option<f64>,
        /// Slow-start threshold at the end of the bin, bytes; `None`: the controller has none.
        slow_start_threshold_bytes: Option<f64>,
        /// Least bandwidth of the path's hops as the controller has them measure it, at the end of the bin, bit/s;
        /// `None`: it does not.
        path_bandwidth_bps: Option<f64>,
        /// Delay of the path there and back, likewise.
        path_delay_ns: Option<Nanos>,
        /// Acknowledgements its destination sent.
        sent_acks: u64,
        /// Acknowledgements that arrived at its source.
        received_acks: u64,
        /// Payload bytes in flight at the end of the bin.
        flight_bytes: u64,
        /// Packets of the flow, acknowledgements included, that did not fit into a queue.
        lost_queue: u64,
        /// Packets that the MAC dropped after the last retry.
        lost_retry: u64,
        /// Packets that the channel lost.
        lost_channel: u64,
        /// Packets without a route.
        lost_route: u64,
        /// Data packets sent again.
        retransmissions: u64,
        /// Times the retransmission timer fired.
        timeouts: u64,
    }
}

columns! {
    /// One row per flow.
    FlowTotals;
    /// A flow over the whole run.
    FlowTotal {
        /// Its name.
        name: String,
        /// Name of its controller; `None`: nothing controls it.
        controller: Option<String>,
        /// When it began.
        start_ns: Nanos,
        /// When it stopped, was complete, or the run ended.
        end_ns: Nanos,
        /// Data packets sent.
        sent_packets: u64,
        /// Their bytes, headers included.
        sent_bytes: u64,
        /// Data packets that arrived, duplicates included.
        received_packets: u64,
        /// Their bytes, headers included.
        received_bytes: u64,
        /// Payload handed to the application.
        delivered_bytes: u64,
        /// The same over the time from start to end, bit/s.
        throughput_bps: f64,
        /// Standard deviation over mean of the same in the whole seconds of the run between start and end; `None`: fewer
        /// than two of them, or nothing was delivered.
        normalised_deviation: Option<f64>,
        /// Mean time from source to destination.
        delay_mean_ns: Option<Nanos>,
        /// Its median, within 1 %.
        delay_p50_ns: Option<Nanos>,
        /// Its 95th percentile, within 1 %.
        delay_p95_ns: Option<Nanos>,
        /// Mean round-trip time.
        rtt_mean_ns: Option<Nanos>,
        /// Its median, within 1 %.
        rtt_p50_ns: Option<Nanos>,
        /// Its 95th percentile, within 1 %.
        rtt_p95_ns: Option<Nanos>,
        /// From start to the arrival of the last byte; `None`: the flow had no end, or did not reach it.
        completion_ns: Option<Nanos>,
        /// Packets of the flow, acknowledgements included, that did not fit into a queue.
        lost_queue: u64,
        /// Packets that the MAC dropped after the last retry.
        lost_retry: u64,
        /// Packets that the channel lost.
        lost_channel: u64,
        /// Packets without a route.
        lost_route: u64,
        /// Data packets sent again.
        retransmissions: u64,
        /// Times the retransmission timer fired.
        timeouts: u64,
    }
}
