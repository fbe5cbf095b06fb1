//! The `exchanges` table: one row per use of the medium.

use arrow_array::types::{Float64Type, Int32Type, Int64Type};

use super::column::{self, Rows};
use super::Table;
use crate::base::numbers::megabits;
use crate::exchanges::{Exchange, ExchangeKind};
use crate::fillers;
use crate::frame::network::Network;
use crate::frame::Addr;
use crate::frame::{FrameKind, Phy, Preamble};

/// See the module.
pub static EXCHANGES: Table<Exchange> = Table {
    name: "exchanges",
    fillers: fillers!(e: Exchange {
        source: radio(e.radio);
        exchange_no: id(e.exchange_no);
        observer: addr(e.observer);
        sender: addr(e.sender);
        receiver: addr(e.receiver);
        kind: always<ExchangeKind>(e.kind);
        data_kind: member<FrameKind>(e.data_kind);
        start_ns: i64(e.start_ns);
        end_ns: i64(e.end_ns);
        rts_ns: i64(e.rts_ns);
        cts_ns: i64(e.cts_ns);
        data_ns: i64(e.data_ns);
        ack_ns: i64(e.ack_ns);
        rts_start_ns: i64(e.rts_start_ns);
        cts_start_ns: i64(e.cts_start_ns);
        data_start_ns: i64(e.data_start_ns);
        ack_start_ns: i64(e.ack_start_ns);
        nav_rts_us: i32(e.nav_rts_us);
        nav_cts_us: i32(e.nav_cts_us);
        nav_data_us: i32(e.nav_data_us);
        data_airtime_us: f64(e.data_airtime_us);
        ack_airtime_us: f64(e.ack_airtime_us);
        payload_bytes: i32(e.payload_bytes);
        length_bytes: i32(e.length_bytes);
        mpdus: id(e.mpdus);
        attempt: id(e.attempt);
        complete: bool(Some(e.complete));
        heard_rts: bool(Some(e.heard_rts));
        heard_data: bool(Some(e.heard_data));
        hidden: bool(Some(e.hidden));
        idle_before_us: f64(e.idle_before_us);
        backoff_us: f64(e.backoff_us);
        queue_ns: i64(e.queue_ns);
        access_ns: i64(e.access_ns);
        phy: member<Phy>(e.phy);
        preamble: member<Preamble>(e.preamble);
        rate_mbps: f64(e.rate_mbps.map(megabits));
        channel_mhz: i32(e.channel_mhz);
        bssid: addr(e.bssid);
        direct: bool(e.direct);
        tid: i32(e.tid);
        seq: i32(e.seq);
        packet_uid: i64(e.packet_uid.and_then(|uid| i64::try_from(uid).ok()));
        flow: text((|e: &Exchange| e.network.map(Network::conversation), Network::flow_of));
        is_group: bool(e.receiver.map(Addr::is_group));
    }),
};
