//! Infers whether frames end with an FCS if neither file nor capture header declares it.

use super::fields::Field;
use super::radio;
use super::row::Row;

/// Evidence from the frames of a capture while Wireshark assumes an FCS at the end of each of them.
#[derive(Debug, Default)]
pub(super) struct FcsEvidence {
    undeclared: bool,
    /// Frames whose last four octets are the CRC of the others.
    matches: bool,
    /// ACK and CTS frames whose length is that of their fields with FCS, or of the fields alone.
    with_fcs: u64,
    without_fcs: u64,
}

impl FcsEvidence {
    /// Adds the evidence of one frame.
    pub fn observe(&mut self, row: &Row<'_>) {
        const GOOD: u8 = 1;
        const CTS: u16 = 0x1c;
        const ACK: u16 = 0x1d;
        if [Field::Flags, Field::PpiFlags].into_iter().any(|field| row.text(field).is_some()) {
            return;
        }
        self.undeclared = true;
        self.matches |= row.number(Field::FcsStatus) == Some(GOOD);
        if matches!(row.number(Field::TypeSubtype), Some(CTS | ACK)) {
            let header = radio::header_bytes(row);
            match header.and_then(|header| row.number::<u32>(Field::RecordBytes)?.checked_sub(header)) {
                Some(14) => self.with_fcs += 1,
                Some(10) => self.without_fcs += 1,
                _ => {}
            }
        }
    }

    /// True if the capture does not declare FCS presence and the frames show none.
    pub fn shows_none(&self) -> bool {
        self.undeclared && !self.matches && self.with_fcs <= self.without_fcs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(lines: &[&str]) -> bool {
        let fields = [Field::Protocols, Field::TypeSubtype, Field::RecordBytes, Field::FcsStatus, Field::Flags];
        let mut evidence = FcsEvidence::default();
        lines.iter().for_each(|line| evidence.observe(&Row::new(line, &fields)));
        evidence.shows_none()
    }

    #[test]
    fn a_matching_crc_or_the_length_of_acknowledgments_decides() {
        assert!(!evidence(&[]));
        assert!(evidence(&["wlan\t0x001d\t10\t0\t", "wlan\t0x0028\t100\t0\t"]));
        assert!(!evidence(&["wlan\t0x001d\t14\t0\t", "wlan\t0x0028\t100\t0\t"]));
        assert!(!evidence(&["wlan\t0x001d\t10\t0\t", "wlan\t0x0028\t100\t1\t"]));
        assert!(!evidence(&["radiotap:wlan\t0x001d\t10\t0\t0x00"]));
    }
}
