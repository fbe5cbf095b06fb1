//! The `exchanges` table: one row per use of the medium.

use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_schema::DataType;

use super::column::{self, Rows};
use super::Table;
use crate::columns;
use crate::exchanges::{Exchange, ExchangeKind};
use crate::frame::network::Network;
use crate::frame::{FrameKind, Phy, Preamble};

/// See the module.
pub static EXCHANGES: Table<Exchange> = Table {
    name: "exchanges",
    doc: "one row per use of the medium",
    columns: columns!(e: Exchange {
        source: radio(e.radio), "recording the exchange is from; with #1, #2 .. of its other radios";
        exchange_no: id(e.exchange_no), "1-based position in its source";
        observer: addr(e.observer), "whose view this is; null for an anonymous sniffer";
        sender: addr(e.sender), "transmitter of the data";
        receiver: addr(e.receiver), "receiver of the data";
        kind: always<ExchangeKind>(e.kind), "rts, basic, cts_self, broadcast, rts_failed or unknown";
        data_kind: member<FrameKind>(e.data_kind), "kind of the frame carried";
        start_ns: i64(e.start_ns), "start of the first frame heard, ns";
        end_ns: i64(e.end_ns), "end of the last frame heard, ns";
        rts_ns: i64(e.rts_ns), "end of the RTS, ns";
        cts_ns: i64(e.cts_ns), "end of the CTS, ns";
        data_ns: i64(e.data_ns), "end of the data, ns";
        ack_ns: i64(e.ack_ns), "end of the ACK or BlockAck, ns";
        rts_start_ns: i64(e.rts_start_ns), "start of the RTS, ns";
        cts_start_ns: i64(e.cts_start_ns), "start of the CTS, ns";
        data_start_ns: i64(e.data_start_ns), "start of the data, ns";
        ack_start_ns: i64(e.ack_start_ns), "start of the ACK or BlockAck, ns";
        nav_rts_us: i32(e.nav_rts_us), "Duration field of the RTS, us";
        nav_cts_us: i32(e.nav_cts_us), "Duration field of the CTS, us";
        nav_data_us: i32(e.nav_data_us), "Duration field of the data, us";
        data_airtime_us: f64(e.data_airtime_us), "airtime of the data, us";
        ack_airtime_us: f64(e.ack_airtime_us), "airtime of the ACK or BlockAck, us";
        payload_bytes: i32(e.payload_bytes), "MSDU octets carried";
        length_bytes: i32(e.length_bytes), "MPDU octets with FCS";
        mpdus: id(e.mpdus), "data MPDUs heard";
        attempt: id(e.attempt), "1 is the first attempt";
        complete: bool(Some(e.complete)), "answered where an answer was due";
        heard_rts: bool(Some(e.heard_rts)), "the RTS was heard";
        heard_data: bool(Some(e.heard_data)), "the data was heard";
        hidden: bool(Some(e.hidden)), "CTS without its RTS at this observer";
        idle_before_us: f64(e.idle_before_us), "idle medium since the previous exchange, us";
        backoff_us: f64(e.backoff_us), "idle_before_us minus DIFS where it is the sender's, us";
        queue_ns: i64(e.queue_ns), "enqueue to head of line, ns (simulators)";
        access_ns: i64(e.access_ns), "head of line to the end of the exchange, ns (simulators)";
        phy: member<Phy>(e.phy), "modulation family of the data";
        preamble: member<Preamble>(e.preamble), "preamble of the data";
        rate_mbps: f64(e.rate_mbps), "data rate, Mb/s";
        channel_mhz: i32(e.channel_mhz), "channel frequency, MHz";
        bssid: addr(e.bssid), "basic service set of the data";
        direct: bool(e.direct), "the data went through no access point: neither To DS nor From DS";
        tid: i32(e.tid), "traffic identifier";
        seq: i32(e.seq), "sequence number of the first data frame";
        packet_uid: i64(e.packet_uid.and_then(|uid| i64::try_from(uid).ok())), "simulator's packet number";
        flow: text((|e: &Exchange| e.network.map(Network::conversation), Network::flow_of)), "conversation";
    }),
};
