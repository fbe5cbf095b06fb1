//! The channel that beacons and probe responses announce, from Wireshark's dissection.
//!
//! Wireshark 4.0 has no fields for the EHT Operation element: with it the width is unknown.

use super::fields::Field;
use super::row::Row;
use crate::frame::operating_channel::{AnnouncedChannel, HtOperation, OperatingChannel, WideOperation};
use crate::frame::{Frame, FrameKind};
use crate::ieee80211::dot11::elements::extension;

/// The channel of the BSS; nothing in frames of other kinds. If an element is repeated, the first is used.
pub(super) fn decode(row: &Row<'_>, frame: &Frame) -> Option<OperatingChannel> {
    if !matches!(frame.kind, FrameKind::Beacon | FrameKind::ProbeResp) || frame.flags.is_some_and(|f| f.protected) {
        return None;
    }
    let of_he = [Field::HeVhtWidth, Field::HeVhtSegment0, Field::HeVhtSegment1];
    let of_6ghz = [Field::He6GhzWidth, Field::He6GhzSegment0, Field::He6GhzSegment1];
    let is_eht =
        row.all(Field::ExtensionTag).any(|tag| super::row::number(tag) == Some(u64::from(extension::EHT_OPERATION)));
    let is_whole = row.number::<u32>(Field::RecordBytes) == row.number(Field::CapturedBytes);
    let announced = AnnouncedChannel {
        dsss: row.number(Field::DsssChannel),
        ht: ht(row),
        vht: wide(row, [Field::VhtWidth, Field::VhtSegment0, Field::VhtSegment1]).or_else(|| wide(row, of_he)),
        he_6ghz: row.number(Field::He6GhzPrimary).zip(wide(row, of_6ghz)),
        eht: None,
        incomplete: is_eht || !is_whole,
    };
    announced.channel(frame.channel_mhz)
}

fn ht(row: &Row<'_>) -> Option<HtOperation> {
    let (subset, protection): (u8, u16) = (row.number(Field::HtOperation1)?, row.number(Field::HtOperation2)?);
    Some(HtOperation {
        primary: row.number(Field::HtPrimary)?,
        offset: subset & 0x03,
        wide: subset & 0x04 != 0,
        segment_2: (protection >> 5 & 0xff) as u8,
    })
}

fn wide(row: &Row<'_>, [width, first, second]: [Field; 3]) -> Option<WideOperation> {
    Some(WideOperation { width: row.number(width)?, segments: [row.number(first)?, row.number(second)?] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(fields: &[(Field, &str)]) -> Option<(u16, Option<u16>)> {
        let line = fields.iter().map(|&(_, text)| text).collect::<Vec<_>>().join("\t");
        let printed: Vec<Field> = fields.iter().map(|&(field, _)| field).collect();
        let beacon = Frame { kind: FrameKind::Beacon, ..Frame::new(1, 0) };
        let channel = decode(&Row::new(&line, &printed), &beacon)?;
        Some((channel.primary_mhz, channel.span.map(|span| span.width_mhz)))
    }

    #[test]
    fn fields_of_each_phy() {
        let mut fields = vec![
            (Field::RecordBytes, "300"),
            (Field::CapturedBytes, "300"),
            (Field::DsssChannel, "36\u{1f}40"),
            (Field::HtPrimary, "36"),
            (Field::HtOperation1, "0x05"),
            (Field::HtOperation2, "0x0000"),
        ];
        assert_eq!(told(&fields), Some((5180, Some(40))));
        fields.extend([(Field::VhtWidth, "1"), (Field::VhtSegment0, "42"), (Field::VhtSegment1, "50")]);
        assert_eq!(told(&fields), Some((5180, Some(160))));
        fields.push((Field::ExtensionTag, "35\u{1f}106"));
        assert_eq!(told(&fields), Some((5180, None)), "EHT Operation is not read");
        fields.truncate(6);
        fields[1].1 = "128";
        assert_eq!(told(&fields), Some((5180, None)), "cut");
    }

    #[test]
    fn fields_of_6_ghz() {
        let fields = [
            (Field::RecordBytes, "300"),
            (Field::CapturedBytes, "300"),
            (Field::He6GhzPrimary, "37"),
            (Field::He6GhzWidth, "0x03"),
            (Field::He6GhzSegment0, "39"),
            (Field::He6GhzSegment1, "47"),
        ];
        assert_eq!(told(&fields), Some((6135, Some(160))));
    }
}
