//! Small values of fixed size, stored without heap memory.

/// A simulator's drop reason (`COL`, `RET`, `IFQ` ...), at most eight ASCII letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DropReason([u8; 8]);

impl DropReason {
    /// Keeps the first eight octets of `text`; `None` when empty or not printable ASCII.
    pub fn new(text: &[u8]) -> Option<DropReason> {
        let mut octets = [0; 8];
        for (slot, &octet) in octets.iter_mut().zip(text) {
            if !octet.is_ascii_graphic() {
                return None;
            }
            *slot = octet;
        }
        (!text.is_empty()).then_some(DropReason(octets))
    }

    /// The reason as text.
    pub fn as_str(&self) -> &str {
        let text = self.0.split(|&octet| octet == 0).next().unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }
}

/// A network name as it was sent: up to 32 arbitrary octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ssid {
    len: u8,
    octets: [u8; 32],
}

impl Ssid {
    /// `None` when longer than the 32 octets the standard allows.
    pub fn new(octets: &[u8]) -> Option<Ssid> {
        let mut ssid = Ssid { len: u8::try_from(octets.len()).ok()?, octets: [0; 32] };
        ssid.octets.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(ssid)
    }

    /// As UTF-8; invalid octets are replaced by the replacement character.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.octets.get(..usize::from(self.len)).unwrap_or_default()).into_owned()
    }
}

/// Signal per antenna, in the order of the capture header; at most eight are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AntennaSignals {
    len: u8,
    dbm: [i8; 8],
}

impl AntennaSignals {
    /// No antenna recorded.
    pub const NONE: AntennaSignals = AntennaSignals { len: 0, dbm: [0; 8] };

    /// Appends one antenna's signal.
    pub fn push(&mut self, dbm: i8) {
        if let Some(slot) = self.dbm.get_mut(usize::from(self.len)) {
            *slot = dbm;
            self.len += 1;
        }
    }

    /// The recorded values.
    pub fn as_slice(&self) -> &[i8] {
        self.dbm.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// Frame Control flags (IEEE 802.11-2020, 9.2.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameFlags {
    /// Retry.
    pub retry: bool,
    /// More Fragments.
    pub more_frag: bool,
    /// Protected Frame.
    pub protected: bool,
    /// To DS.
    pub to_ds: bool,
    /// From DS.
    pub from_ds: bool,
}
