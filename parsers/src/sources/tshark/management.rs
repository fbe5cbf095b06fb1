//! The body of a management frame, from Wireshark's dissection.

use super::capabilities;
use super::channel_switch;
use super::fields::Field;
use super::hexadecimal::octets;
use super::operating_channel;
use super::row::Row;
use crate::frame::management::{BssLoad, Management};
use crate::frame::{Frame, FrameKind, Ssid};

/// Version that Wireshark gives the BSS Load element of the standard; a draft of 802.11e had another.
const BSS_LOAD_VERSION: u8 = 2;

/// What the body says; nothing for frames of other types.
pub(super) fn decode(row: &Row<'_>, frame: &Frame) -> Management {
    use FrameKind::{AssocResp, Auth, Beacon, Deauth, Disassoc, ProbeResp, ReassocResp};
    let channel = operating_channel::decode(row, frame);
    let at_mhz = channel.map(|channel| channel.primary_mhz).or(frame.channel_mhz);
    Management {
        ssid: network_name(row),
        timestamp_us: row.number(Field::Timestamp).filter(|_| matches!(frame.kind, Beacon | ProbeResp)),
        reason: row.number(Field::ReasonCode).filter(|_| matches!(frame.kind, Deauth | Disassoc)),
        status: row.number(Field::StatusCode).filter(|_| matches!(frame.kind, Auth | AssocResp | ReassocResp)),
        bss_load: bss_load(row),
        channel,
        switch: channel_switch::decode(row, frame, at_mhz),
        capabilities: capabilities::decode(row, frame),
    }
}

/// The first SSID element: octets in hexadecimal, or a placeholder word if it is empty.
fn network_name(row: &Row<'_>) -> Option<Ssid> {
    match row.text(Field::Ssid)? {
        "<MISSING>" => Ssid::new(&[]),
        text => Ssid::new(&octets(text)?),
    }
}

fn bss_load(row: &Row<'_>) -> Option<BssLoad> {
    let (stations, utilization) = (row.number(Field::BssLoadStations)?, row.number(Field::BssLoadUtilization)?);
    let admission = row.number(Field::BssLoadAdmission)?;
    let version: u8 = row.number(Field::BssLoadVersion)?;
    (version == BSS_LOAD_VERSION).then_some(BssLoad { stations, utilization, admission })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_names_are_octets() {
        let name = |text: &str| network_name(&Row::new(text, &[Field::Ssid])).map(|ssid| ssid.text());
        assert_eq!(name("656475726f616d").as_deref(), Some("eduroam"));
        assert_eq!(name("<MISSING>").as_deref(), Some(""));
        assert_eq!((name(""), name("65f"), name(&"00".repeat(33))), (None, None, None));
    }

    #[test]
    fn codes_are_of_the_kinds_that_have_them() {
        let row = Row::new("0x0007\t0x0011", &[Field::ReasonCode, Field::StatusCode]);
        let codes = |kind| {
            let found = decode(&row, &Frame { kind, ..Frame::new(1, 0) });
            (found.reason, found.status)
        };
        assert_eq!(codes(FrameKind::Deauth), (Some(7), None));
        assert_eq!(codes(FrameKind::ReassocResp), (None, Some(17)));
        assert_eq!(codes(FrameKind::Action), (None, None), "DELBA has a reason code, too");
    }

    #[test]
    fn a_load_of_a_draft_is_unknown() {
        let printed =
            [Field::BssLoadVersion, Field::BssLoadStations, Field::BssLoadUtilization, Field::BssLoadAdmission];
        let load = |line| bss_load(&Row::new(line, &printed));
        assert_eq!(load("2\t33\t51\t23437"), Some(BssLoad { stations: 33, utilization: 51, admission: 23437 }));
        assert_eq!((load("1\t33\t51\t200"), load("2\t33\t51")), (None, None));
    }
}
