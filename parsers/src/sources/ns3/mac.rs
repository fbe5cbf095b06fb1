//! `ns3::WifiMacHeader`. The printed fields depend on the release: ns-3.37 prints only the type of QoS data and of
//! BlockAck frames.

use super::items::value;
use crate::frame::{Addr, Frame, FrameFlags, FrameKind};
use crate::ieee80211::constants::DATA_HEADER_BYTES;

/// A fourth address and QoS Control, octets (IEEE 802.11-2020, 9.3.2.1).
const ADDRESS: u32 = 6;
const QOS_CONTROL: u32 = 2;

/// Fills kind, addresses, flags and numbers of a row; `None` if the frame type is unknown.
pub(super) fn fill(frame: &mut Frame, header: &str) -> Option<()> {
    let (kind, subtype) = kind_of(header.split(' ').next()?)?;
    (frame.kind, frame.subtype) = (kind, Some(subtype));
    let bit = |key| value(header, key).map(|bit| bit == "1");
    if let Some(retry) = bit("Retry") {
        frame.flags = Some(FrameFlags {
            retry,
            more_frag: bit("MoreFrag").unwrap_or_default(),
            protected: false,
            to_ds: bit("ToDS").unwrap_or_default(),
            from_ds: bit("FromDS").unwrap_or_default(),
        });
    }
    if kind != FrameKind::PsPoll {
        frame.nav_us = value(header, "Duration/ID").and_then(|text| text.strip_suffix("us")?.parse().ok());
    }
    addresses(frame, header);
    frame.frag = value(header, "FragNumber").and_then(|text| u8::from_str_radix(text, 16).ok());
    frame.seq = value(header, "SeqNumber").and_then(|text| text.parse().ok());
    frame.tid = value(header, "tid").and_then(|text| text.parse().ok());
    Some(())
}

/// Octets of a data frame's MAC header.
pub(super) fn data_header_bytes(frame: &Frame) -> u32 {
    let four_addresses = frame.flags.is_some_and(|flags| flags.to_ds && flags.from_ds);
    let qos = matches!(frame.kind, FrameKind::QosData | FrameKind::QosNull);
    DATA_HEADER_BYTES + if four_addresses { ADDRESS } else { 0 } + if qos { QOS_CONTROL } else { 0 }
}

/// Octets of a control frame, FCS included.
pub(super) fn control_bytes(kind: FrameKind) -> Option<u32> {
    match kind {
        FrameKind::Cts | FrameKind::Ack => Some(14),
        FrameKind::Rts | FrameKind::PsPoll | FrameKind::CfEnd => Some(20),
        FrameKind::BlockAckReq => Some(24), // basic or compressed
        _ => None,
    }
}

/// Parses the addresses by their roles. Their positions (table 9-30) follow from the DS bits. Newer releases print
/// both, as in `DA(RA)`.
fn addresses(frame: &mut Frame, header: &str) {
    let one_of = |keys: [&str; 3]| keys.iter().find_map(|key| Addr::parse(value(header, key)?));
    frame.da = one_of(["DA", "DA(RA)", "DA/RA"]);
    frame.sa = one_of(["SA", "SA(TA)", "SA/TA"]);
    frame.bssid = one_of(["BSSID", "BSSID(RA)", "BSSID(TA)"]);
    let flags = frame.flags.unwrap_or_default();
    let (ra, ta) = match (flags.to_ds, flags.from_ds) {
        (false, false) => (frame.da, frame.sa),
        (true, false) => (frame.bssid, frame.sa),
        (false, true) => (frame.da, frame.bssid),
        (true, true) => (None, None),
    };
    frame.ra = one_of(["RA", "RA", "RA"]).or(ra);
    frame.ta = one_of(["TA", "TA", "TA"]).or(ta);
}

/// Kind and subtype from the name of a `WifiMacType`.
fn kind_of(name: &str) -> Option<(FrameKind, u16)> {
    Some(match name {
        "CTL_TRIGGER" => (FrameKind::Trigger, 0x12),
        "CTL_BACKREQ" => (FrameKind::BlockAckReq, 0x18),
        "CTL_BACKRESP" => (FrameKind::BlockAck, 0x19),
        "CTL_PSPOLL" => (FrameKind::PsPoll, 0x1a),
        "CTL_RTS" => (FrameKind::Rts, 0x1b),
        "CTL_CTS" => (FrameKind::Cts, 0x1c),
        "CTL_ACK" => (FrameKind::Ack, 0x1d),
        "CTL_END" => (FrameKind::CfEnd, 0x1e),
        "MGT_ASSOCIATION_REQUEST" => (FrameKind::AssocReq, 0x00),
        "MGT_ASSOCIATION_RESPONSE" => (FrameKind::AssocResp, 0x01),
        "MGT_REASSOCIATION_REQUEST" => (FrameKind::ReassocReq, 0x02),
        "MGT_REASSOCIATION_RESPONSE" => (FrameKind::ReassocResp, 0x03),
        "MGT_PROBE_REQUEST" => (FrameKind::ProbeReq, 0x04),
        "MGT_PROBE_RESPONSE" => (FrameKind::ProbeResp, 0x05),
        "MGT_BEACON" => (FrameKind::Beacon, 0x08),
        "MGT_DISASSOCIATION" => (FrameKind::Disassoc, 0x0a),
        "MGT_AUTHENTICATION" => (FrameKind::Auth, 0x0b),
        "MGT_DEAUTHENTICATION" => (FrameKind::Deauth, 0x0c),
        "MGT_ACTION" | "MGT_MULTIHOP_ACTION" => (FrameKind::Action, 0x0d),
        "MGT_ACTION_NO_ACK" => (FrameKind::ActionNoAck, 0x0e),
        "DATA" => (FrameKind::Data, 0x20),
        "DATA_NULL" => (FrameKind::Null, 0x24),
        "QOSDATA" => (FrameKind::QosData, 0x28),
        "QOSDATA_NULL" => (FrameKind::QosNull, 0x2c),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Addr = Addr::mac([0, 0, 0, 0, 0, 1]);
    const B: Addr = Addr::mac([0, 0, 0, 0, 0, 2]);
    const C: Addr = Addr::mac([0, 0, 0, 0, 0, 3]);

    fn row(header: &str) -> Frame {
        let mut frame = Frame::new(1, 0);
        assert_eq!(fill(&mut frame, header), Some(()), "{header}");
        frame
    }

    #[test]
    fn addresses_stand_where_the_ds_bits_say() {
        let (a, b, c) = (A.to_string(), B.to_string(), C.to_string());
        for (bits, addresses, ra, ta) in [
            ("ToDS=0, FromDS=0", format!("DA={a}, SA={b}, BSSID={c}"), A, B),
            ("ToDS=1, FromDS=0", format!("DA={a}, SA={b}, BSSID={c}"), C, B),
            ("ToDS=0, FromDS=1", format!("DA={a}, SA={b}, BSSID={c}"), A, C),
            ("ToDS=1, FromDS=1", format!("DA={c}, SA={c}, RA={a}, TA={b}"), A, B),
            ("ToDS=1, FromDS=0", format!("BSSID(RA)={c}, SA(TA)={b}, DA={a}"), C, B),
            ("ToDS=0, FromDS=0", format!("DA(RA)={a}, SA(TA)={b}, BSSID={c}"), A, B),
        ] {
            let header = format!("DATA {bits}, MoreFrag=0, Retry=1, MoreData=0 Duration/ID=60us, {addresses}, FragNumber=0, SeqNumber=12");
            let frame = row(&header);
            assert_eq!(
                (frame.ra, frame.ta, frame.seq, frame.nav_us),
                (Some(ra), Some(ta), Some(12), Some(60)),
                "{header}"
            );
            assert!(frame.is_retry());
        }
    }

    #[test]
    fn control_frames_have_the_addresses_that_are_printed() {
        let rts = row("CTL_RTS Duration/ID=1503us, RA=00:00:00:00:00:02, TA=00:00:00:00:00:01");
        assert_eq!(
            (rts.kind, rts.ra, rts.ta, rts.nav_us, rts.flags),
            (FrameKind::Rts, Some(B), Some(A), Some(1503), None)
        );
        let ack = row("CTL_ACK Duration/ID=0us, RA=00:00:00:00:00:02");
        assert_eq!((ack.ra, ack.ta, ack.sa), (Some(B), None, None));
        let qos = row("QOSDATA ");
        assert_eq!((qos.kind, qos.ra, qos.flags, data_header_bytes(&qos)), (FrameKind::QosData, None, None, 26));
    }

    #[test]
    fn unknown_types_are_malformed() {
        assert_eq!(fill(&mut Frame::new(1, 0), "SOMETHING ToDS=0"), None);
        assert_eq!(fill(&mut Frame::new(1, 0), ""), None);
    }
}
