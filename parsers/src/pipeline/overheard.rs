//! Who is in a recording: its networks and its stations.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ahash::AHashMap;

use crate::frame::management::BssLoad;
use crate::frame::operating_channel::{OperatingChannel, Span};
use crate::frame::{Addr, Frame, FrameKind, Layer, Ssid};

/// Maximum number of distinct channels of one network that are counted. It bounds memory if beacons are forged.
const CHANNELS: usize = 64;

/// The networks (by BSSID) and stations (by transmitter address) of one recording.
#[derive(Clone, Debug, Default)]
pub struct Overheard {
    networks: AHashMap<Addr, Network>,
    stations: AHashMap<Addr, u64>,
}

/// What was heard of one network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Name that it announced first.
    pub ssid: Option<Ssid>,
    /// How many of its frames were received on each channel, MHz.
    pub channels_mhz: Spread<u16>,
    /// How many of its beacons and probe responses announce each channel.
    pub announced: Spread<OperatingChannel>,
    /// Frames with its BSSID.
    pub frames: u64,
    /// Its beacons.
    pub beacons: u64,
    /// Country code that it announced first.
    pub country: Option<[u8; 2]>,
    /// Stations associated, by its BSS Load elements.
    pub associated: Spread<u16>,
    /// Channel utilization by the same, in units of 1/255.
    pub utilization: Spread<u8>,
}

/// How often each value occurred.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread<V>(BTreeMap<V, u64>);

impl<V> Default for Spread<V> {
    fn default() -> Self {
        Spread(BTreeMap::new())
    }
}

impl Overheard {
    /// Counts frames; unreadable ones and those above the MAC are left out.
    pub fn observe(&mut self, frames: &[Frame]) {
        for frame in frames.iter().filter(|frame| frame.is_readable() && frame.layer == Layer::Mac) {
            if let Some(ta) = frame.ta.filter(|ta| ta.is_station()) {
                *self.stations.entry(ta).or_default() += 1;
            }
            if let Some(bssid) = frame.bssid.filter(|&bssid| is_network(bssid, frame.kind)) {
                self.networks.entry(bssid).or_default().observe(frame);
            }
        }
    }

    /// The networks, those with most frames first.
    pub fn networks(&self) -> Vec<(Addr, &Network)> {
        let mut rows: Vec<_> = self.networks.iter().map(|(&bssid, network)| (bssid, network)).collect();
        rows.sort_by_key(|&(bssid, network)| (Reverse(network.frames), bssid));
        rows
    }

    /// The stations and the number of frames they sent, those that sent most first.
    pub fn stations(&self) -> Vec<(Addr, u64)> {
        let mut rows: Vec<_> = self.stations.iter().map(|(&address, &frames)| (address, frames)).collect();
        rows.sort_by_key(|&(address, frames)| (Reverse(frames), address));
        rows
    }
}

/// Whether an address is that of a network. In CF-End it is of whoever ends its TXOP (IEEE 802.11-2020, 9.3.1.6).
fn is_network(bssid: Addr, kind: FrameKind) -> bool {
    ![Addr::BROADCAST, Addr::NONE].contains(&bssid) && kind != FrameKind::CfEnd
}

impl Network {
    /// The channel on which most of its frames were received, MHz: strong ones are heard on those beside it, too.
    pub fn channel_mhz(&self) -> Option<u16> {
        self.channels_mhz.most_frequent()
    }

    /// The channel that most of its beacons and probe responses announce, and of those on that primary channel that tell
    /// a width, the width and centre that most of them do.
    pub fn channel(&self) -> Option<OperatingChannel> {
        let mut primaries = Spread::default();
        let mut spans: Spread<(u16, Span)> = Spread::default();
        for (channel, &count) in &self.announced.0 {
            primaries.add_many(channel.primary_mhz, count);
            if let Some(span) = channel.span {
                spans.add_many((channel.primary_mhz, span), count);
            }
        }
        let primary_mhz = primaries.most_frequent()?;
        spans.0.retain(|&(of_mhz, _), _| of_mhz == primary_mhz);
        Some(OperatingChannel { primary_mhz, span: spans.most_frequent().map(|(_, span)| span) })
    }

    fn observe(&mut self, frame: &Frame) {
        self.frames += 1;
        if let Some(channel_mhz) = frame.channel_mhz {
            self.channels_mhz.add(channel_mhz);
        }
        self.beacons += u64::from(frame.kind == FrameKind::Beacon);
        let Some(body) = &frame.management else { return };
        if matches!(frame.kind, FrameKind::Beacon | FrameKind::ProbeResp) {
            self.ssid = self.ssid.or(body.ssid);
        }
        if let Some(channel) = body.channel {
            if self.announced.0.len() < CHANNELS || self.announced.0.contains_key(&channel) {
                self.announced.add(channel);
            }
        }
        let country = body.capabilities.and_then(|announced| announced.country);
        self.country = self.country.or(country.map(|country| country.code()));
        if let Some(BssLoad { stations, utilization, .. }) = body.bss_load {
            self.associated.add(stations);
            self.utilization.add(utilization);
        }
    }
}

impl<V: Copy + Ord> Spread<V> {
    fn add(&mut self, value: V) {
        self.add_many(value, 1);
    }

    fn add_many(&mut self, value: V, count: u64) {
        *self.0.entry(value).or_default() += count;
    }

    /// The most frequent value, of several the lowest; `None` without values.
    fn most_frequent(&self) -> Option<V> {
        self.0.iter().max_by_key(|&(&value, &count)| (count, Reverse(value))).map(|(&value, _)| value)
    }

    /// Minimum, median (of an even number of values the lower one) and maximum; `None` without values.
    pub fn summary(&self) -> Option<[V; 3]> {
        let half = self.0.values().sum::<u64>().div_ceil(2);
        let mut before = 0;
        let median = self.0.iter().find(|&(_, count)| {
            before += count;
            before >= half
        });
        Some([*self.0.first_key_value()?.0, *median?.0, *self.0.last_key_value()?.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::management::Management;

    fn beacon(bssid: u32, ssid: &[u8], load: Option<BssLoad>) -> Frame {
        let management = Management { ssid: Ssid::new(ssid), bss_load: load, ..Management::default() };
        Frame {
            kind: FrameKind::Beacon,
            ta: Some(Addr::node(bssid)),
            bssid: Some(Addr::node(bssid)),
            management: management.boxed(),
            ..Frame::new(1, 1)
        }
    }

    #[test]
    fn networks_with_most_frames_come_first() {
        let mut heard = Overheard::default();
        let probe = Frame {
            kind: FrameKind::ProbeReq,
            ta: Some(Addr::node(9)),
            bssid: Some(Addr::BROADCAST),
            ..beacon(9, b"wanted", None)
        };
        let damaged = Frame { fcs_ok: Some(false), ..beacon(3, b"", None) };
        let above = Frame { layer: Layer::Agent, ..beacon(3, b"", None) };
        let on = |mhz| Frame { channel_mhz: Some(mhz), ..beacon(2, b"later", None) };
        let no_bssid = Frame { bssid: Some(Addr::NONE), ..beacon(4, b"", None) };
        let end = Frame { kind: FrameKind::CfEnd, ..beacon(9, b"", None) };
        let (two, wrong) = (beacon(2, b"two", None), [damaged, above, no_bssid, end]);
        heard.observe(&[beacon(1, b"one", None), two, on(2437), on(2442), on(2437), probe]);
        heard.observe(&wrong);
        let networks = heard.networks();
        assert_eq!(networks.iter().map(|(bssid, _)| *bssid).collect::<Vec<_>>(), [Addr::node(2), Addr::node(1)]);
        let (_, first) = networks[0];
        assert_eq!((first.frames, first.beacons, first.channel_mhz()), (4, 4, Some(2437)));
        assert_eq!(first.ssid.unwrap().text(), "two");
        assert_eq!(heard.stations(), [(Addr::node(2), 4), (Addr::node(9), 2), (Addr::node(1), 1), (Addr::node(4), 1)]);
    }

    #[test]
    fn a_network_is_on_the_channel_that_most_beacons_name() {
        let on = |primary_mhz, width_mhz: Option<u16>| {
            let span = width_mhz.map(|width_mhz| Span { width_mhz, centre_mhz: 5210, second_centre_mhz: None });
            let management =
                Management { channel: Some(OperatingChannel { primary_mhz, span }), ..Management::default() };
            Frame { management: management.boxed(), channel_mhz: Some(5200), ..beacon(1, b"", None) }
        };
        let mut heard = Overheard::default();
        heard.observe(&[on(5200, Some(20)), on(5180, None), on(5180, None), on(5180, None), on(5180, Some(80))]);
        let damaged = Frame { fcs_ok: Some(false), ..on(5200, Some(20)) };
        heard.observe(&vec![damaged; 9]);
        let channel = heard.networks()[0].1.channel().unwrap();
        assert_eq!((channel.primary_mhz, channel.span.map(|span| span.width_mhz)), (5180, Some(80)));
        heard.observe(&(0..2000).map(|width| on(5180, Some(width))).collect::<Vec<_>>());
        assert_eq!(heard.networks()[0].1.announced.0.len(), CHANNELS, "forged ones take no memory");
        assert_eq!(Network::default().channel(), None);
    }

    #[test]
    fn a_load_has_minimum_median_and_maximum() {
        let mut heard = Overheard::default();
        let load = |utilization| Some(BssLoad { stations: 4, utilization, admission: 0 });
        heard.observe(&[10, 30, 200, 30].map(|utilization| beacon(1, b"", load(utilization))));
        heard.observe(&[beacon(1, b"", None)]);
        let network = heard.networks()[0].1;
        assert_eq!(network.utilization.summary(), Some([10, 30, 200]));
        assert_eq!(network.associated.summary(), Some([4, 4, 4]));
        assert_eq!(Spread::<u8>::default().summary(), None);
    }
}
