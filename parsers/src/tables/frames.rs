//! The `frames` table: one row per recorded frame, or per simulator event.

use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use winf_ieee80211::HopOptions;

use super::column::{self, Rows};
use super::Table;
use crate::base::numbers::megabits;
use crate::fillers;
use crate::frame::channel_switch::ChannelSwitch;
use crate::frame::management::{BssLoad, Management};
use crate::frame::network::{Host, Network, Tcp};
use crate::frame::operating_channel::{OperatingChannel, Span};
use crate::frame::ppdu::{PpduFormat, Ru};
use crate::frame::Addr;
use crate::frame::BlockAckBitmap;
use crate::frame::{Assumptions, Direction, DropReason, Frame, FrameKind, Layer, ParseError, Phy, Preamble, Ssid};

/// See the module.
pub static FRAMES: Table<Frame> = Table {
    name: "frames",
    fillers: fillers!(f: Frame {
        source: radio(f.radio);
        frame_no: id(f.frame_no);
        observer: addr(f.observer);
        direction: member<Direction>(f.direction);
        layer: always<Layer>(f.layer);
        ts_ns: id(f.ts_ns);
        tsft_us: i64(f.tsft_us.and_then(|us| i64::try_from(us).ok()));
        start_ns: i64(f.start_ns);
        end_ns: i64(f.end_ns);
        kind: always<FrameKind>(f.kind);
        subtype: i32(f.subtype);
        ra: addr(f.ra);
        ta: addr(f.ta);
        sa: addr(f.sa);
        da: addr(f.da);
        bssid: addr(f.bssid);
        seq: i32(f.seq);
        frag: i32(f.frag);
        tid: i32(f.tid);
        retry: bool(f.flags.map(|flags| flags.retry));
        more_frag: bool(f.flags.map(|flags| flags.more_frag));
        protected: bool(f.flags.map(|flags| flags.protected));
        to_ds: bool(f.flags.map(|flags| flags.to_ds));
        from_ds: bool(f.flags.map(|flags| flags.from_ds));
        nav_us: i32(f.nav_us);
        length_bytes: i32(f.length_bytes);
        payload_bytes: i32(f.payload_bytes);
        fcs_ok: bool(f.fcs_ok);
        phy: member<Phy>(f.phy);
        rate_mbps: f64(f.rate_mbps.map(megabits));
        mcs: i32(f.mcs);
        nss: i32(f.nss);
        bandwidth_mhz: i32(f.bandwidth_mhz);
        guard_ns: i32(f.guard_ns);
        preamble: member<Preamble>(f.preamble);
        stbc: i32(f.stbc);
        ldpc: bool(f.ldpc);
        ppdu_format: member<PpduFormat>(f.ppdu.format);
        ru_tones: member<Ru>(f.ppdu.ru);
        dcm: bool(f.ppdu.dcm);
        punctured: bool(f.ppdu.punctured);
        l_sig_length: i32(f.ppdu.l_sig_length);
        ampdu_ref: i64(f.ampdu_ref.map(i64::from));
        airtime_us: f64(f.airtime_us);
        channel_mhz: i32(f.channel_mhz);
        signal_dbm: i32(f.signal_dbm);
        noise_dbm: i32(f.noise_dbm);
        antenna_signals_dbm: list(f.antenna_signals_dbm.as_slice());
        packet_uid: i64(f.packet_uid.and_then(|uid| i64::try_from(uid).ok()));
        flow: text((network, Network::flow_of));
        src_ip: text((|f: &Frame| f.network.map(|n| n.src), column::shown::<Host>));
        dst_ip: text((|f: &Frame| f.network.map(|n| n.dst), column::shown::<Host>));
        src_port: i32(f.network.and_then(|n| n.src_port));
        dst_port: i32(f.network.and_then(|n| n.dst_port));
        proto: text((|f: &Frame| f.network.map(|n| n.proto), protocol));
        transport_seq: i64(f.network.and_then(|n| n.transport_seq).map(i64::from));
        tcp_ack: i64(tcp(f).and_then(|tcp| tcp.ack).map(i64::from));
        tcp_window: i32(tcp(f).and_then(|tcp| tcp.window));
        tcp_flags: i32(tcp(f).and_then(|tcp| tcp.flags));
        tcp_payload_bytes: i32(tcp(f).and_then(|tcp| tcp.payload_bytes));
        drop_reason: text((|f: &Frame| f.drop_reason, drop_reason));
        ba_start_seq: i32(f.block_ack.map(|ba| ba.start_seq()));
        ba_bitmap: text((|f: &Frame| f.block_ack, bitmap));
        ssid: text((|f: &Frame| said(f)?.ssid, ssid));
        assumptions: text((assumptions, Assumptions::text));
        parse_error: member<ParseError>(f.parse_error);
        is_group: bool(f.ra.map(Addr::is_group));
        ppdu_no: i64(f.ppdu_no.and_then(|n| i64::try_from(n).ok()));
        beacon_tsf_us: i64(said(f).and_then(|body| i64::try_from(body.timestamp_us?).ok()));
        reason_code: i32(said(f).and_then(|body| body.reason));
        status_code: i32(said(f).and_then(|body| body.status));
        bss_load_stations: i32(load(f).map(|load| load.stations));
        bss_load_utilization: f64(load(f).map(BssLoad::busy_share));
        bss_load_admission_us: i32(load(f).map(BssLoad::admission_us));
        c3tcp_bandwidth_bps: i64(options(f).and_then(|c3tcp| c3tcp.bandwidth_kbps).map(|kbps| 1000 * i64::from(kbps)));
        c3tcp_forward_delay_us: i64(options(f).and_then(|c3tcp| c3tcp.forward_delay_us).map(i64::from));
        c3tcp_backward_delay_us: i64(options(f).and_then(|c3tcp| c3tcp.backward_delay_us).map(i64::from));
        tcp_tsval: i64(tcp(f).and_then(|tcp| tcp.time_stamps).map(|(value, _)| i64::from(value)));
        tcp_tsecr: i64(tcp(f).and_then(|tcp| tcp.time_stamps).map(|(_, echo)| i64::from(echo)));
        bss_primary_mhz: i32(channel(f).map(|channel| channel.primary_mhz));
        bss_width_mhz: i32(span(f).map(|span| span.width_mhz));
        bss_centre_mhz: i32(span(f).map(|span| span.centre_mhz));
        bss_second_centre_mhz: i32(span(f).and_then(|span| span.second_centre_mhz));
        bss_switch_mhz: i32(switch(f).map(|switch| switch.to_mhz));
        bss_switch_beacons: i32(switch(f).map(|switch| switch.beacons));
    }),
};

fn options(frame: &Frame) -> Option<HopOptions> {
    frame.hop_options.as_ref().map(|found| found.options)
}

fn network(frame: &Frame) -> Option<Network> {
    frame.network.map(Network::conversation)
}

fn said(frame: &Frame) -> Option<&Management> {
    frame.management.as_deref()
}

fn load(frame: &Frame) -> Option<BssLoad> {
    said(frame)?.bss_load
}

fn channel(frame: &Frame) -> Option<OperatingChannel> {
    said(frame)?.channel
}

fn switch(frame: &Frame) -> Option<ChannelSwitch> {
    said(frame)?.switch
}

fn span(frame: &Frame) -> Option<Span> {
    channel(frame)?.span
}

fn tcp(frame: &Frame) -> Option<Tcp> {
    frame.network.and_then(|network| network.tcp)
}

fn protocol(protocol: crate::frame::network::Protocol) -> String {
    protocol.as_str().to_owned()
}

fn drop_reason(reason: DropReason) -> String {
    reason.as_str().to_owned()
}

fn bitmap(block_ack: BlockAckBitmap) -> String {
    block_ack.hex()
}

fn ssid(ssid: Ssid) -> String {
    ssid.text()
}

fn assumptions(frame: &Frame) -> Option<Assumptions> {
    Some(frame.assumptions).filter(|assumptions| !assumptions.is_empty())
}
