use super::*;
use crate::frame::network::{Host, Protocol};
use crate::frame::{Addr, FrameFlags, Ssid};

const A: [u8; 6] = [0x02, 0, 0, 0, 0, 0x0a];
const B: [u8; 6] = [0x02, 0, 0, 0, 0, 0x0b];
const C: [u8; 6] = [0x02, 0, 0, 0, 0, 0x0c];
const D: [u8; 6] = [0x02, 0, 0, 0, 0, 0x0d];

fn addr(octets: [u8; 6]) -> Option<Addr> {
    Some(Addr::mac(octets))
}

fn mpdu(octets: &[u8]) -> Mpdu<'_> {
    Mpdu { octets, recorded_bytes: octets.len() as u32, trailing_fcs: false, bad_fcs: false, data_pad: false }
}

fn read(parts: &[&[u8]]) -> Frame {
    let mut frame = Frame::new(1, 0);
    decode(&mpdu(&parts.concat()), &mut frame);
    frame
}

#[test]
fn rts() {
    let frame = read(&[&[0xb4, 0x00, 0x94, 0x00], &A, &B]);
    assert_eq!((frame.kind, frame.subtype, frame.nav_us), (FrameKind::Rts, Some(27), Some(148)));
    assert_eq!((frame.ra, frame.ta, frame.sa), (addr(A), addr(B), None));
    assert_eq!(frame.length_bytes, Some(20));
    assert_eq!(frame.parse_error, None);
}

#[test]
fn a_bandwidth_signalling_ta_names_the_same_station() {
    let mut signalling = B;
    signalling[0] |= 0x01;
    assert_eq!(read(&[&[0xb4, 0x00, 0x94, 0x00], &A, &signalling]).ta, addr(B));
}

#[test]
fn cts_and_ack_name_only_the_receiver() {
    let cts = read(&[&[0xc4, 0x00, 0x68, 0x00], &A]);
    assert_eq!((cts.kind, cts.subtype, cts.ra, cts.ta), (FrameKind::Cts, Some(28), addr(A), None));
    let ack = read(&[&[0xd4, 0x08, 0x00, 0x00], &A]);
    assert_eq!((ack.kind, ack.subtype, ack.nav_us, ack.length_bytes), (FrameKind::Ack, Some(29), Some(0), Some(14)));
    assert!(ack.is_retry());
}

#[test]
fn ps_poll_carries_an_aid_and_no_duration() {
    let frame = read(&[&[0xa4, 0x00, 0x01, 0xc0], &A, &B]);
    assert_eq!((frame.kind, frame.nav_us, frame.bssid), (FrameKind::PsPoll, None, addr(A)));
}

#[test]
fn durations_with_the_top_bit_are_no_nav() {
    for duration in [0x8000u16, 0x8001, 0xc001, 0xffff] {
        let [low, high] = duration.to_le_bytes();
        assert_eq!(read(&[&[0xd4, 0x00, low, high], &A]).nav_us, None);
    }
    assert_eq!(read(&[&[0xd4, 0x00, 0xff, 0x7f], &A]).nav_us, Some(32767));
}

#[test]
fn block_ack_variants_and_their_tid() {
    let frame = |first: u8, control: u16| read(&[&[first, 0x00, 0, 0], &A, &B, &control.to_le_bytes(), &[0; 10]]);
    let compressed = frame(0x94, 0x5005);
    assert_eq!((compressed.kind, compressed.subtype, compressed.tid), (FrameKind::BlockAck, Some(25), Some(5)));
    assert_eq!((compressed.ra, compressed.ta), (addr(A), addr(B)));
    let request = frame(0x84, 0x3005);
    assert_eq!((request.kind, request.subtype, request.tid), (FrameKind::BlockAckReq, Some(24), Some(3)));
    assert_eq!(frame(0x94, 0x6001).tid, Some(6), "basic");
    assert_eq!(frame(0x94, 0x1007).tid, None, "multi-TID");
    assert_eq!(frame(0x94, 0x1017).tid, None, "multi-STA");
}

#[test]
fn block_ack_bitmaps() {
    let frame = |control: u16, information: &[u8]| {
        let header = [&[0x94, 0x00, 0, 0], A.as_slice(), &B, &control.to_le_bytes()].concat();
        read(&[&header, information]).block_ack
    };
    // Sequence number 0x123, and a bitmap of 8 or 32 octets as the fragment number says.
    let compressed = frame(0x5005, &[&[0x30, 0x12, 0x07], [0; 7].as_slice()].concat()).unwrap();
    assert_eq!((compressed.start_seq(), compressed.bits(), compressed.acknowledged()), (0x123, 64, 3));
    let long = frame(0x5005, &[&[0x34, 0x12], [0xff; 32].as_slice()].concat()).unwrap();
    assert_eq!((long.start_seq(), long.bits(), long.acknowledged()), (0x123, 256, 256));
    let one_station = frame(0x0016, &[&[0x07, 0x50, 0x30, 0x12, 0x80], [0; 7].as_slice()].concat()).unwrap();
    assert_eq!((one_station.start_seq(), one_station.acknowledges(0x12a)), (0x123, Some(true)));
    assert_eq!(frame(0x0016, &[0x07, 0x58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), None, "acknowledged as a whole");
    assert_eq!(frame(0x6001, &[0; 130]), None, "basic: a bitmap of fragments");
    assert_eq!(frame(0x5005, &[0x30, 0x12, 0x07]), None, "cut");
}

#[test]
fn cf_end_trigger_ndpa_and_beamforming_poll() {
    for (first, kind) in [
        (0xe4, FrameKind::CfEnd),
        (0xf4, FrameKind::CfEnd),
        (0x24, FrameKind::Trigger),
        (0x54, FrameKind::Ndpa),
        (0x44, FrameKind::BeamformingPoll),
    ] {
        let frame = read(&[&[first, 0x00, 0, 0], &A, &B, &[0; 4]]);
        assert_eq!((frame.kind, frame.ra, frame.ta), (kind, addr(A), addr(B)));
    }
    assert_eq!(read(&[&[0xe4, 0x00, 0, 0], &A, &B]).bssid, addr(B));
}

#[test]
fn a_control_wrapper_is_read_as_the_frame_it_carries() {
    let frame = read(&[&[0x74, 0x00, 0x94, 0x00], &A, &[0xb4, 0x00], &[0; 4], &B]);
    assert_eq!((frame.kind, frame.subtype), (FrameKind::Rts, Some(0x17)));
    assert_eq!((frame.ra, frame.ta, frame.nav_us), (addr(A), addr(B), Some(148)));
}

#[test]
fn an_extended_control_frame_spends_its_flags_on_the_subtype() {
    // DMG CTS: extension 5.
    let frame = read(&[&[0x64, 0x05, 0x10, 0x00], &A, &B]);
    assert_eq!((frame.kind, frame.subtype), (FrameKind::ControlOther, Some(0x165)));
    assert_eq!(frame.flags, Some(FrameFlags::default()));
    assert_eq!((frame.ra, frame.ta), (addr(A), addr(B)));
}

#[test]
fn beacon_with_its_ssid() {
    let fixed = [0; 12];
    let frame = read(&[&[0x80, 0x00, 0, 0], &[0xff; 6], &A, &A, &[0x30, 0x12], &fixed, &[0, 4], b"mesh", &[1, 1, 2]]);
    assert_eq!((frame.kind, frame.seq, frame.frag), (FrameKind::Beacon, Some(0x123), Some(0)));
    assert_eq!((frame.ra, frame.da), (Some(Addr::BROADCAST), Some(Addr::BROADCAST)));
    assert_eq!((frame.ta, frame.sa, frame.bssid), (addr(A), addr(A), addr(A)));
    assert_eq!(ssid(&frame).unwrap().text(), "mesh");
}

fn ssid(frame: &Frame) -> Option<Ssid> {
    frame.management.as_ref()?.ssid
}

#[test]
fn reason_and_status_codes_are_where_the_kind_of_frame_has_them() {
    let codes = |control: [u8; 2], body: &[u8]| {
        let frame = read(&[&control, &[0; 2], &A, &B, &A, &[0; 2], body]);
        frame.management.map(|body| (body.reason, body.status))
    };
    assert_eq!(codes([0xc0, 0x00], &[7, 0]), Some((Some(7), None)), "deauthentication");
    assert_eq!(codes([0xa0, 0x00], &[0x08, 0x01, 9]), Some((Some(0x108), None)), "disassociation");
    assert_eq!(codes([0xb0, 0x00], &[0, 0, 2, 0, 17, 0]), Some((None, Some(17))), "authentication");
    assert_eq!(codes([0x10, 0x00], &[1, 0, 30, 0, 1, 0xc0]), Some((None, Some(30))), "association response");
    assert_eq!(codes([0x30, 0x00], &[1, 0, 30, 0]), Some((None, Some(30))), "reassociation response, cut");
    assert_eq!(codes([0xc0, 0x00], &[7]), None, "cut");
    assert_eq!(codes([0xc0, 0x40], &[7, 0]), None, "encrypted");
    assert_eq!(codes([0xd0, 0x00], &[7, 0, 7, 0, 7, 0]), None, "action");
}

#[test]
fn a_bss_load_element_has_five_octets() {
    let load = |element: &[u8]| {
        let frame = read(&[&[0x80, 0x00, 0, 0], &[0xff; 6], &A, &A, &[0; 2], &[0; 12], element]);
        frame.management.and_then(|body| body.bss_load)
    };
    let found = load(&[0, 0, 11, 5, 3, 1, 51, 0x12, 0x7a]).unwrap();
    assert_eq!((found.stations, found.busy_share(), found.admission_us()), (259, 0.2, 0x7a12 * 32));
    assert_eq!(load(&[11, 4, 3, 1, 51, 0x12]), None, "a draft's");
    assert_eq!(load(&[11, 6, 3, 1, 51, 0x12, 0x7a, 0]), None);
    assert_eq!(load(&[11, 5, 3, 1, 51, 0x12]), None, "cut");
}

#[test]
fn the_ssid_is_found_behind_ht_control_and_other_elements() {
    // +HTC in a probe request: four more octets of header.
    let frame = read(&[&[0x40, 0x80, 0, 0], &[0xff; 6], &A, &A, &[0; 2], &[0; 4], &[1, 1, 2], &[0, 2, b'o', b'k']]);
    assert_eq!(ssid(&frame).unwrap().text(), "ok");
}

#[test]
fn an_ssid_element_longer_than_the_frame_or_the_standard_is_none() {
    for (length, octets) in [(9, 4), (33, 40), (255, 255)] {
        let frame = read(&[&[0x40, 0x00, 0, 0], &[0xff; 6], &A, &A, &[0; 2], &[0, length], &vec![b'x'; octets]]);
        assert_eq!(ssid(&frame), None, "{length}");
        assert_eq!(frame.parse_error, None);
    }
}

#[test]
fn addresses_by_ds_bits() {
    let data = |flags: u8| read(&[&[0x08, flags, 44, 0], &A, &B, &C, &[0x10, 0x00], &D, &[0; 8]]);
    let ibss = data(0x00);
    assert_eq!((ibss.ra, ibss.ta, ibss.da, ibss.sa, ibss.bssid), (addr(A), addr(B), addr(A), addr(B), addr(C)));
    let up = data(0x01);
    assert_eq!((up.ra, up.ta, up.da, up.sa, up.bssid), (addr(A), addr(B), addr(C), addr(B), addr(A)));
    let down = data(0x02);
    assert_eq!((down.ra, down.ta, down.da, down.sa, down.bssid), (addr(A), addr(B), addr(A), addr(C), addr(B)));
    let relayed = data(0x03);
    assert_eq!((relayed.ra, relayed.ta, relayed.da, relayed.sa), (addr(A), addr(B), addr(C), addr(D)));
    assert_eq!((relayed.bssid, relayed.payload_bytes), (None, Some(8)));
}

#[test]
fn qos_control_and_ht_control_lengthen_the_header() {
    let header: &[&[u8]] = &[&[0x88, 0x81, 44, 0], &A, &B, &C, &[0x10, 0x00], &[0x06, 0x00], &[0; 4]];
    let frame = read(&[&header.concat(), &[0; 100]]);
    assert_eq!((frame.kind, frame.subtype, frame.tid), (FrameKind::QosData, Some(40), Some(6)));
    assert_eq!((frame.payload_bytes, frame.length_bytes), (Some(100), Some(134)));
}

#[test]
fn order_without_qos_is_no_ht_control() {
    let frame = read(&[&[0x08, 0x81, 44, 0], &A, &B, &C, &[0x10, 0x00], &[0; 100]]);
    assert_eq!(frame.payload_bytes, Some(100));
}

#[test]
fn null_frames_carry_no_payload() {
    let null = read(&[&[0x48, 0x11, 44, 0], &A, &B, &A, &[0x10, 0x00]]);
    assert_eq!((null.kind, null.subtype, null.payload_bytes), (FrameKind::Null, Some(36), None));
    let qos_null = read(&[&[0xc8, 0x11, 44, 0], &A, &B, &A, &[0x10, 0x00], &[0x07, 0x00]]);
    assert_eq!((qos_null.kind, qos_null.tid, qos_null.payload_bytes), (FrameKind::QosNull, Some(7), None));
}

#[test]
fn the_ack_policy_says_whether_an_answer_is_due() {
    let qos = |policy: u8| read(&[&[0x88, 0x11, 44, 0], &A, &B, &A, &[0x10, 0x00], &[policy << 5, 0x00], &[0; 8]]);
    assert_eq!([0, 1, 2, 3].map(|policy| qos(policy).no_ack), [false, true, false, false]);
}

#[test]
fn cf_poll_without_data_is_no_data() {
    for (first, kind) in [(0x18, FrameKind::Data), (0x58, FrameKind::Extension), (0xe8, FrameKind::Extension)] {
        assert_eq!(read(&[&[first, 0x01, 0, 0], &A, &B, &C, &[0; 4]]).kind, kind);
    }
}

#[test]
fn security_headers_and_trailers_are_no_payload() {
    let payload = |flags: u8, iv: [u8; 4]| {
        read(&[&[0x08, 0x41 | flags, 44, 0], &A, &B, &C, &[0x10, 0x00], &iv, &[0; 96]]).payload_bytes
    };
    assert_eq!(payload(0, [0x17, 0x00, 0x00, 0x20]), Some(100 - 16), "CCMP");
    assert_eq!(payload(0, [0x17, 0x37, 0x05, 0x20]), Some(100 - 20), "TKIP");
    assert_eq!(payload(0x04, [0x17, 0x37, 0x05, 0x20]), Some(100 - 12), "TKIP, but not its last fragment");
    assert_eq!(payload(0, [0x17, 0x37, 0x05, 0x00]), Some(100 - 8), "WEP");
}

#[test]
fn a_protected_body_shorter_than_its_security_header_has_no_payload_length() {
    let frame = read(&[&[0x08, 0x41, 44, 0], &A, &B, &C, &[0x10, 0x00], &[0, 0, 0, 0x20], &[0; 4]]);
    assert_eq!((frame.payload_bytes, frame.parse_error), (None, None));
}

#[test]
fn a_pad_behind_the_header_was_not_on_the_air() {
    let octets =
        [&[0x88, 0x01, 44, 0], A.as_slice(), &B, &C, &[0x10, 0x00], &[0x06, 0x00], &[0; 2], &[0; 100]].concat();
    let mut frame = Frame::new(1, 0);
    decode(&Mpdu { data_pad: true, ..mpdu(&octets) }, &mut frame);
    assert_eq!((frame.length_bytes, frame.payload_bytes), (Some(26 + 100 + 4), Some(100)));
}

/// LLC/SNAP, IPv4 10.0.0.1 to 10.0.0.2, UDP 49153 to 9, no data; checksums left zero.
const UDP: [u8; 36] = [
    0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00, // SNAP, IPv4
    0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
    0xc0, 0x01, 0, 9, 0, 8, 0, 0, // UDP
];

#[test]
fn the_network_header_behind_llc() {
    let network = read(&[&[0x08, 0x01, 44, 0], &A, &B, &C, &[0x10, 0x00], &UDP]).network.unwrap();
    assert_eq!((network.src, network.dst), (Host::Ip([10, 0, 0, 1].into()), Host::Ip([10, 0, 0, 2].into())));
    assert_eq!((network.proto, network.src_port, network.dst_port), (Protocol::new(b"udp"), Some(49153), Some(9)));
}

#[test]
fn the_network_header_of_a_snapped_short_frame() {
    let cut = &UDP[..34];
    let octets = [&[0x08, 0x01, 44, 0], A.as_slice(), &B, &C, &[0x10, 0x00], cut].concat();
    let mut frame = Frame::new(1, 0);
    decode(&Mpdu { recorded_bytes: 1524, ..mpdu(&octets) }, &mut frame);
    let network = frame.network.unwrap();
    assert_eq!((network.proto, network.src_port), (Protocol::new(b"udp"), None));
    assert_eq!((frame.length_bytes, frame.payload_bytes), (Some(1528), Some(1500)));
}

#[test]
fn no_network_header_is_read_from_encrypted_bodies_or_later_fragments() {
    assert_eq!(read(&[&[0x08, 0x41, 44, 0], &A, &B, &C, &[0x10, 0x00], &UDP]).network, None);
    assert_eq!(read(&[&[0x08, 0x01, 44, 0], &A, &B, &C, &[0x11, 0x00], &UDP]).network, None);
}

#[test]
fn the_first_msdu_of_an_a_msdu_gives_its_ends_and_its_network_header() {
    let subframe = [C.as_slice(), &D, &[0, 36], &UDP].concat();
    let frame = read(&[&[0x88, 0x02, 44, 0], &A, &B, &B, &[0x10, 0x00], &[0x80, 0x00], &subframe]);
    assert_eq!((frame.da, frame.sa, frame.bssid), (addr(C), addr(D), addr(B)));
    assert!(frame.network.is_some());
    assert_eq!(frame.payload_bytes, Some(36));
}

#[test]
fn the_payload_of_an_a_msdu_is_its_msdus() {
    let header = |flags: u8, qos: [u8; 2]| [&[0x88, flags, 44, 0], &A[..], &B, &B, &[0x10, 0x00], &qos].concat();
    let msdu = |body: &[u8]| [C.as_slice(), &D, &[0, body.len() as u8], body].concat();
    let (first, second) = (msdu(&[7; 37]), msdu(&UDP));
    let clear = header(0x02, [0x80, 0]);
    assert_eq!(read(&[&clear, &first, &[0], &second]).payload_bytes, Some(37 + 36), "the pad between them is none");
    let octets = [clear, msdu(&UDP)].concat();
    let mut cut = Frame::new(1, 0);
    let recorded_bytes = octets.len() + 2 + 14 + 1000;
    decode(&Mpdu { recorded_bytes: u32::try_from(recorded_bytes).unwrap(), ..mpdu(&octets) }, &mut cut);
    assert_eq!(cut.payload_bytes, Some(36 + 1000), "of a header that was cut away too");
    let ccmp = read(&[&header(0x42, [0x80, 0]), &[1, 0, 0, 0x20, 0, 0, 0, 0], &[0; 100], &[0; 8]]);
    assert_eq!(ccmp.payload_bytes, Some(100 - 14), "at least one is encrypted");
    let mesh = [&[0x88, 0x03, 44, 0], &A[..], &B, &C, &[0x10, 0x00], &D, &[0x80, 1]].concat();
    let relayed = msdu(&[&[0, 31, 1, 0, 0, 0], &UDP[..]].concat());
    assert_eq!(read(&[&mesh, &relayed, &relayed]).payload_bytes, Some(2 * 36));
}

#[test]
fn a_mesh_control_is_no_payload_and_hides_no_network_header() {
    let relayed =
        |qos: [u8; 2], mesh: &[u8]| read(&[&[0x88, 0x03, 44, 0], &A, &B, &C, &[0x10, 0x00], &D, &qos, mesh, &UDP]);
    let short = relayed([0, 1], &[0, 31, 1, 0, 0, 0]);
    assert_eq!((short.payload_bytes, short.network.is_some()), (Some(36), true));
    let proxied = relayed([0, 1], &[&[2, 31, 1, 0, 0, 0], A.as_slice(), &B].concat());
    assert_eq!((proxied.payload_bytes, proxied.network.is_some()), (Some(36), true));
    let no_mesh = relayed([0, 1], &[]);
    assert_eq!((no_mesh.payload_bytes, no_mesh.network.is_some()), (Some(36), true));
}

#[test]
fn a_header_cut_short_keeps_what_precedes_the_cut() {
    let octets = [&[0x88, 0x01, 44, 0], A.as_slice(), &B, &C, &[0x10, 0x00], &[0x06, 0x00]].concat();
    for (captured, ra, ta, seq) in [
        (3, None, None, None),
        (12, addr(A), None, None),
        (22, addr(A), addr(B), None),
        (25, addr(A), addr(B), Some(1)),
    ] {
        let mut frame = Frame::new(1, 0);
        decode(&Mpdu { recorded_bytes: 1500, ..mpdu(&octets[..captured]) }, &mut frame);
        assert_eq!((frame.ra, frame.ta, frame.seq), (ra, ta, seq), "{captured}");
        assert_eq!(frame.parse_error, Some(ParseError::HeaderCut), "{captured}");
        assert_eq!(frame.length_bytes, Some(1504));
    }
}

#[test]
fn another_protocol_version_is_not_read() {
    let frame = read(&[&[0xb5, 0x00, 0x94, 0x00], &A, &B]);
    assert_eq!((frame.kind, frame.parse_error), (FrameKind::Unknown, Some(ParseError::ProtocolVersion)));
}

#[test]
fn of_a_damaged_frame_only_the_length_is_believed() {
    let mut octets = [&[0xb4, 0x00, 0x94, 0x00], A.as_slice(), &B].concat();
    octets.extend(crc32fast::hash(&octets).to_le_bytes());
    let whole = Mpdu { trailing_fcs: true, ..mpdu(&octets) };
    let mut frame = Frame::new(1, 0);
    decode(&whole, &mut frame);
    assert_eq!((frame.fcs_ok, frame.kind, frame.length_bytes), (Some(true), FrameKind::Rts, Some(20)));

    let mut flagged = Frame::new(1, 0);
    decode(&Mpdu { bad_fcs: true, ..whole }, &mut flagged);
    let mut damaged = octets.clone();
    damaged[5] ^= 0x40;
    let mut computed = Frame::new(1, 0);
    decode(&Mpdu { octets: &damaged, ..whole }, &mut computed);
    for frame in [flagged, computed] {
        assert_eq!((frame.fcs_ok, frame.parse_error), (Some(false), Some(ParseError::BadFcs)));
        assert_eq!((frame.kind, frame.ra, frame.subtype, frame.nav_us), (FrameKind::Unknown, None, None, None));
        assert_eq!(frame.length_bytes, Some(20));
    }
}

#[test]
fn an_unfilled_or_cut_fcs_gives_no_verdict() {
    let octets = [&[0xd4, 0x00, 0, 0], A.as_slice(), &[0; 4]].concat();
    let mut unfilled = Frame::new(1, 0);
    decode(&Mpdu { trailing_fcs: true, ..mpdu(&octets) }, &mut unfilled);
    assert_eq!((unfilled.fcs_ok, unfilled.kind, unfilled.length_bytes), (None, FrameKind::Ack, Some(14)));
    let mut cut = Frame::new(1, 0);
    decode(&Mpdu { trailing_fcs: true, recorded_bytes: 1500, ..mpdu(&octets) }, &mut cut);
    assert_eq!((cut.fcs_ok, cut.length_bytes), (None, Some(1500)));
}

#[test]
fn the_check_value_of_crc_32() {
    let mut octets = b"123456789".to_vec();
    octets.extend(0xcbf4_3926u32.to_le_bytes());
    assert_eq!(fcs::verdict(&Mpdu { trailing_fcs: true, ..mpdu(&octets) }), Some(true));
}

#[test]
fn a_trailing_fcs_shows_by_crc_or_by_the_length_of_acks() {
    let ack = [&[0xd4, 0x00, 0, 0], A.as_slice()].concat();
    let unfilled = [ack.as_slice(), &[0; 4]].concat();
    let filled = [ack.as_slice(), &crc32fast::hash(&ack).to_le_bytes()].concat();
    assert!(!has_trailing_fcs([ack.as_slice()]));
    assert!(has_trailing_fcs([unfilled.as_slice()]));
    assert!(has_trailing_fcs([ack.as_slice(), &filled]));
    assert!(!has_trailing_fcs([ack.as_slice(), &unfilled]), "no majority");
    assert!(!has_trailing_fcs([[].as_slice()]));
}

/// The field of S001 in 37 octets of MAC header: 1.722 Mbit/s and 7.574 ms.
const OPTIONS: [u8; 13] = [37, 1, 4, 0, 0, 0x06, 0xBA, 2, 4, 0, 0, 0x1D, 0x96];
const SNAP: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];

fn with_options(flags: u8, options: &[u8], body: &[u8]) -> Frame {
    read(&[&[0x88, flags, 0x2c, 0x00], &A, &B, &C, &[0x10, 0x00], options, body])
}

#[test]
fn options_of_c3tcp_are_found_in_frames_of_type_10_and_subtype_1000() {
    let frame = with_options(0, &OPTIONS, &SNAP);
    let found = frame.hop_options.as_deref().copied().unwrap();
    assert_eq!((found.options.bandwidth_kbps, found.options.forward_delay_us), (Some(1722), Some(7574)));
    assert_eq!((found.options.backward_delay_us, found.octets), (None, 13));
    assert_eq!((frame.subtype, frame.tid, frame.payload_bytes), (Some(0x28), None, Some(8)));
    assert_eq!((frame.ra, frame.ta, frame.seq), (addr(A), addr(B), Some(1)));
}

#[test]
fn qos_data_is_not_taken_for_options() {
    let qos = with_options(0, &[37, 1], &SNAP);
    assert_eq!((qos.hop_options, qos.tid, qos.payload_bytes), (None, Some(5), Some(8)));
    let protected = with_options(0x40, &OPTIONS, &SNAP);
    assert_eq!((protected.hop_options, protected.tid), (None, Some(5)));
    for options in [&OPTIONS[..12], &[31, 9, 4, 0, 0, 0, 0], &[25]] {
        assert_eq!(with_options(0, options, &SNAP).hop_options, None, "{options:?}");
    }
    assert_eq!(with_options(0, &OPTIONS, &[1, 2, 3]).hop_options, None, "no LLC behind it");
}
