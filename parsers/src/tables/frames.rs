//! The `frames` table: one row per frame seen, or per simulator event.

use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_schema::DataType;

use super::column::{self, Rows};
use super::Table;
use crate::columns;
use crate::frame::network::{Host, Network, Tcp};
use crate::frame::ppdu::{PpduFormat, Ru};
use crate::frame::{
    Assumptions, BlockAckBitmap, Direction, DropReason, Frame, FrameKind, Layer, ParseError, Phy, Preamble, Ssid,
};

/// See the module.
pub static FRAMES: Table<Frame> = Table {
    name: "frames",
    doc: "one row per frame seen, or per simulator event",
    columns: columns!(f: Frame {
        source: radio(f.radio), "recording the frame is from; with #1, #2 .. of its other radios";
        frame_no: id(f.frame_no), "1-based position in its source";
        observer: addr(f.observer), "whose radio recorded it; null for an anonymous sniffer";
        direction: member<Direction>(f.direction), "tx, rx, drop or enqueue at the observer";
        layer: always<Layer>(f.layer), "mac; simulators also agent, router, queue, phy";
        ts_ns: id(f.ts_ns), "time stamp as recorded, ns";
        tsft_us: i64(f.tsft_us.and_then(|us| i64::try_from(us).ok())), "MAC clock of the recording radio, us";
        start_ns: i64(f.start_ns), "first preamble bit on the air, ns";
        end_ns: i64(f.end_ns), "end of the frame on the air, ns";
        kind: always<FrameKind>(f.kind), "what the frame is";
        subtype: i32(f.subtype), "type << 4 | subtype";
        ra: addr(f.ra), "receiver address";
        ta: addr(f.ta), "transmitter address";
        sa: addr(f.sa), "source address";
        da: addr(f.da), "destination address";
        bssid: addr(f.bssid), "basic service set";
        seq: i32(f.seq), "sequence number";
        frag: i32(f.frag), "fragment number";
        tid: i32(f.tid), "traffic identifier";
        retry: bool(f.flags.map(|flags| flags.retry)), "Retry bit";
        more_frag: bool(f.flags.map(|flags| flags.more_frag)), "More Fragments bit";
        protected: bool(f.flags.map(|flags| flags.protected)), "Protected Frame bit";
        to_ds: bool(f.flags.map(|flags| flags.to_ds)), "To DS bit";
        from_ds: bool(f.flags.map(|flags| flags.from_ds)), "From DS bit";
        nav_us: i32(f.nav_us), "Duration field, us; null where it is an AID";
        length_bytes: i32(f.length_bytes), "MPDU with FCS, without capture header";
        payload_bytes: i32(f.payload_bytes), "MSDU";
        fcs_ok: bool(f.fcs_ok), "frame check sequence; null where none was recorded";
        phy: member<Phy>(f.phy), "modulation family";
        rate_mbps: f64(f.rate_mbps), "data rate, Mb/s";
        mcs: i32(f.mcs), "modulation and coding scheme index";
        nss: i32(f.nss), "spatial streams";
        bandwidth_mhz: i32(f.bandwidth_mhz), "bandwidth, MHz";
        guard_ns: i32(f.guard_ns), "guard interval, ns";
        preamble: member<Preamble>(f.preamble), "long, short, mixed or greenfield";
        stbc: i32(f.stbc), "space-time block coding: streams it adds (HT), or whether it is used";
        ldpc: bool(f.ldpc), "low-density parity-check rather than convolutional code";
        ppdu_format: member<PpduFormat>(f.ppdu.format), "HE and EHT: single user, extended range, multi-user, trigger-based";
        ru_tones: member<Ru>(f.ppdu.ru), "HE and EHT: resource unit of the recorded user, where the header names one";
        dcm: bool(f.ppdu.dcm), "HE: dual carrier modulation";
        punctured: bool(f.ppdu.punctured), "HE and EHT: 20 MHz subchannels were left out";
        l_sig_length: i32(f.ppdu.l_sig_length), "LENGTH field of L-SIG";
        ampdu_ref: i64(f.ampdu_ref.map(i64::from)), "equal for the subframes of one A-MPDU";
        airtime_us: f64(f.airtime_us), "time on the air, us; of a subframe of an A-MPDU its part, so that they add up";
        channel_mhz: i32(f.channel_mhz), "channel frequency, MHz";
        signal_dbm: i32(f.signal_dbm), "antenna signal, dBm";
        noise_dbm: i32(f.noise_dbm), "antenna noise, dBm";
        antenna_signals_dbm: list(f.antenna_signals_dbm.as_slice()), "signal per antenna, dBm";
        packet_uid: i64(f.packet_uid.and_then(|uid| i64::try_from(uid).ok())), "simulator's packet number";
        flow: text((network, Network::flow_of)), "conversation, the same text in both directions";
        src_ip: text((|f: &Frame| f.network.map(|n| n.src), column::shown::<Host>)), "network source";
        dst_ip: text((|f: &Frame| f.network.map(|n| n.dst), column::shown::<Host>)), "network destination";
        src_port: i32(f.network.and_then(|n| n.src_port)), "transport source port";
        dst_port: i32(f.network.and_then(|n| n.dst_port)), "transport destination port";
        proto: text((|f: &Frame| f.network.map(|n| n.proto), protocol)), "transport protocol or simulator packet type";
        transport_seq: i64(f.network.and_then(|n| n.transport_seq).map(i64::from)), "transport sequence number";
        tcp_ack: i64(tcp(f).and_then(|tcp| tcp.ack).map(i64::from)), "TCP acknowledgment number";
        tcp_window: i32(tcp(f).and_then(|tcp| tcp.window)), "TCP window field, not scaled";
        tcp_flags: i32(tcp(f).and_then(|tcp| tcp.flags)), "TCP flags: CWR ECE URG ACK PSH RST SYN FIN, FIN is 1";
        tcp_payload_bytes: i32(tcp(f).and_then(|tcp| tcp.payload_bytes)), "octets behind the TCP header";
        drop_reason: text((|f: &Frame| f.drop_reason, drop_reason)), "simulator's reason for a drop";
        ba_start_seq: i32(f.block_ack.map(|ba| ba.start_seq())), "BlockAck: first sequence number of its bitmap";
        ba_bitmap: text((|f: &Frame| f.block_ack, bitmap)), "BlockAck: bitmap, up to 32 octets as sent, in hexadecimal";
        ssid: text((|f: &Frame| f.ssid, ssid)), "network name, in frames that carry one";
        assumptions: text((assumptions, Assumptions::text)), "what had to be assumed for airtime_us";
        parse_error: member<ParseError>(f.parse_error), "why the row is not whole";
    }),
};

fn network(frame: &Frame) -> Option<Network> {
    frame.network.map(Network::conversation)
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
