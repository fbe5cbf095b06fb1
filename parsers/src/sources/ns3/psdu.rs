//! The rows of one line: a frame, or every MPDU of an A-MPDU.

use super::items::{after, Content, Item, Items};
use super::line::{self, Line, What};
use super::upper::Msdu;
use super::{mac, mode};
use crate::base::time::ns;
use crate::frame::management::Management;
use crate::frame::{Direction, Frame, FrameKind, Ssid};
use crate::ieee80211::airtime;
use crate::ieee80211::constants::{AMPDU_MAX_MPDUS, FCS_BYTES, MPDU_DELIMITER_BYTES};

const MAX_MPDUS: usize = AMPDU_MAX_MPDUS as usize;

/// Appends the rows of a line, numbered from `frame_no`; `ppdu` is the A-MPDU reference number. Returns `None` and
/// appends nothing if the line is malformed.
pub(super) fn rows(line: &Line<'_>, frame_no: u64, ppdu: u32, rows: &mut Vec<Frame>) -> Option<()> {
    let ts_ns = line::nanoseconds(line.seconds)?;
    let first = rows.len();
    let mut items = Items(line.packet).peekable();
    while items.peek().is_some() && rows.len() - first < MAX_MPDUS {
        let subframe = items.next_if(|item| item.name == "AmpduSubframeHeader");
        let Some(header) = items.next() else { break };
        let (Content::Whole(text), "WifiMacHeader") = (header.content, header.name) else { break };
        let mut frame = Frame::new(frame_no + (rows.len() - first) as u64, ts_ns);
        if mac::fill(&mut frame, text).is_none() {
            rows.truncate(first);
            return None;
        }
        let body = std::iter::from_fn(|| items.next_if(|item| item.name != "AmpduSubframeHeader"));
        fill_body(&mut frame, body, line.packet);
        if let Some(Item { content: Content::Whole(text), .. }) = subframe {
            frame.ampdu_ref = Some(ppdu);
            frame.length_bytes = after(text, "length =").and_then(|octets| octets.parse().ok());
        }
        mode::fill(&mut frame, line.mode);
        frame.direction = Some(if line.what == What::Sent { Direction::Tx } else { Direction::Rx });
        frame.fcs_ok = (line.what == What::Failed).then_some(false);
        airtime::fill(&mut frame);
        rows.push(frame);
    }
    let rows = rows.get_mut(first..).filter(|rows| !rows.is_empty())?;
    set_times(rows, line.what);
    Some(())
}

/// Payload, network header and length of a frame.
fn fill_body<'a>(frame: &mut Frame, body: impl Iterator<Item = Item<'a>>, packet: &str) {
    if !matches!(frame.kind, FrameKind::Data | FrameKind::QosData) {
        frame.length_bytes = mac::control_bytes(frame.kind);
        if matches!(frame.kind, FrameKind::Null | FrameKind::QosNull) {
            frame.length_bytes = Some(mac::data_header_bytes(frame) + FCS_BYTES);
        }
        frame.management = Management { ssid: ssid(packet), ..Management::default() }.boxed();
        body.for_each(drop);
        return;
    }
    let mut msdu = Msdu::new();
    let mut has_ended = false; // text after the trailer is A-MPDU padding
    for item in body {
        has_ended |= item.name == "WifiMacTrailer";
        if !has_ended {
            msdu.take(&item);
        }
    }
    frame.network = msdu.network;
    let is_fragment = frame.frag.is_some_and(|number| number > 0) || frame.flags.is_some_and(|flags| flags.more_frag);
    frame.payload_bytes = msdu.bytes(is_fragment);
    let overhead = mac::data_header_bytes(frame) + FCS_BYTES;
    frame.length_bytes = frame.payload_bytes.and_then(|bytes| bytes.checked_add(overhead));
}

/// The SSID of a management frame, which ns-3 prints without escaping any character.
fn ssid(packet: &str) -> Option<Ssid> {
    let (_, rest) = packet.split_once("(ssid=")?;
    let (name, _) = rest.rsplit_once(", rates=[")?;
    Ssid::new(name.as_bytes())
}

/// All MPDUs of a PPDU share its start and end. A transmission is printed at its start and a reception at its end; the
/// other instant is derived from the airtime.
fn set_times(rows: &mut [Frame], what: What) {
    let Some(first) = rows.first() else { return };
    let octets = rows.iter().try_fold(0u32, |psdu, frame| {
        let subframe = frame.length_bytes?.checked_add(MPDU_DELIMITER_BYTES)?;
        psdu.checked_next_multiple_of(4)?.checked_add(subframe)
    });
    let airtime_us = match first.ampdu_ref {
        Some(_) => octets.and_then(|octets| airtime::ppdu_us(first, octets)),
        None => first.airtime_us,
    };
    let airtime_ns = airtime_us.map(ns);
    for frame in rows {
        (frame.start_ns, frame.end_ns) = match what {
            What::Sent => (Some(frame.ts_ns), airtime_ns.map(|airtime| frame.ts_ns.saturating_add(airtime))),
            What::Received | What::Failed => {
                (airtime_ns.map(|airtime| frame.ts_ns.saturating_sub(airtime)), Some(frame.ts_ns))
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Phy;

    const PATH: &str = "/NodeList/0/DeviceList/0/$ns3::WifiNetDevice/Phy/State";

    fn read(text: &str) -> Vec<Frame> {
        let mut frames = Vec::new();
        assert_eq!(rows(&line::parse(text).unwrap(), 1, 5, &mut frames), Some(()), "{text}");
        frames
    }

    #[test]
    fn an_rts_starts_at_its_stamp() {
        let rts = "ns3::WifiMacHeader (CTL_RTS Duration/ID=1503us, RA=00:00:00:00:00:02, TA=00:00:00:00:00:01) ";
        let rts = &read(&format!("t 0.506646 {PATH}/Tx DsssRate1Mbps {rts}"))[0];
        assert_eq!((rts.length_bytes, rts.airtime_us, rts.phy), (Some(20), Some(352.0), Some(Phy::Dsss)));
        assert_eq!((rts.start_ns, rts.end_ns), (Some(506_646_000), Some(506_998_000)));
    }

    #[test]
    fn data_ends_at_its_stamp() {
        let data = "ns3::WifiMacHeader (DATA ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 Duration/ID=213us, \
                    DA=00:00:00:00:00:02, SA=00:00:00:00:00:01, BSSID=00:00:00:00:00:01, FragNumber=0, SeqNumber=1) \
                    ns3::LlcSnapHeader (type 0x800) ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT ttl 64 id 0 protocol 17 \
                    offset (bytes) 0 flags [none] length: 1028 10.0.0.1 > 10.0.0.2) ns3::UdpHeader (length: 1008 49153 > 5000) \
                    Payload (size=1000) ";
        let received = &read(&format!("r 0.508289 DsssRate11Mbps {PATH}/RxOk {data}"))[0];
        assert_eq!((received.payload_bytes, received.length_bytes), (Some(1036), Some(1064)));
        assert_eq!(received.airtime_us, Some(192.0 + 8512.0 / 11.0));
        assert_eq!((received.start_ns, received.end_ns), (Some(507_323_182), Some(508_289_000)));
        assert_eq!(received.fcs_ok, None);
        let lost = &read(&format!("r 0.508289 {PATH}/RxError {data}"))[0];
        assert_eq!((lost.fcs_ok, lost.airtime_us, lost.start_ns), (Some(false), None, None));
    }

    #[test]
    fn every_mpdu_of_an_ampdu_is_a_row_and_all_are_on_the_air_together() {
        let mpdu = "ns3::AmpduSubframeHeader (EOF = 0, length = 1066, signature = 0xN) ns3::WifiMacHeader (QOSDATA ) \
                    ns3::LlcSnapHeader (type 0x800) ns3::Ipv4Header (tos 0x0 protocol 17 offset (bytes) 0 flags [none] \
                    length: 1028 10.0.0.1 > 10.0.0.2) ns3::UdpHeader (length: 1008 49153 > 5000) Payload (size=1000) ";
        let pad = "ns3::WifiMacTrailer () Payload (size=2) ";
        let mpdus = read(&format!("t 0.5 {PATH}/Tx HtMcs7 {mpdu}{pad}{mpdu}{pad}{mpdu}"));
        assert_eq!(mpdus.len(), 3);
        for (mpdu, number) in mpdus.iter().zip(1..) {
            assert_eq!((mpdu.frame_no, mpdu.ampdu_ref, mpdu.kind), (number, Some(5), FrameKind::QosData));
            assert_eq!((mpdu.length_bytes, mpdu.payload_bytes), (Some(1066), Some(1036)));
            // 1070 padded to 1072, twice, then 1070: 25712 + 22 bits in symbols of 260 are 99.
            assert_eq!((mpdu.start_ns, mpdu.end_ns), (Some(500_000_000), Some(500_432_000)));
        }
    }

    #[test]
    fn a_network_name_may_hold_anything() {
        let beacon = "ns3::WifiMacHeader (MGT_BEACON ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 Duration/ID=0us, \
                      DA=ff:ff:ff:ff:ff:ff, SA=00:00:00:00:00:03, BSSID=00:00:00:00:00:03, FragNumber=0, SeqNumber=0) \
                      ns3::MgtProbeResponseHeader (ssid=a (b, rates=[ns3::, rates=[*6mbs 54mbs], ERP information=1|0|0) ";
        let beacon = &read(&format!("t 0.1 {PATH}/Tx OfdmRate6Mbps {beacon}"))[0];
        assert_eq!(beacon.management.as_ref().unwrap().ssid.unwrap().text(), "a (b, rates=[ns3::");
        assert_eq!((beacon.length_bytes, beacon.airtime_us, beacon.end_ns), (None, None, None));
    }
}
