//! The body of a management frame.

use super::capabilities::Capabilities;
use super::channel_switch::ChannelSwitch;
use super::operating_channel::OperatingChannel;
use super::values::Ssid;

/// Fields and elements of a management frame's body (IEEE 802.11-2020, 9.3.3).
///
/// `None`: the frame has no such field, or it was not captured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Management {
    /// SSID element (9.4.2.2).
    pub ssid: Option<Ssid>,
    /// Timestamp field of beacons and probe responses (9.4.1.10): the TSF timer of their sender, microseconds.
    pub timestamp_us: Option<u64>,
    /// Reason Code field of deauthentication and disassociation frames (9.4.1.7).
    pub reason: Option<u16>,
    /// Status Code field of authentication frames and association responses (9.4.1.9).
    pub status: Option<u16>,
    /// BSS Load element (9.4.2.27).
    pub bss_load: Option<BssLoad>,
    /// Channel of the BSS, of beacons and probe responses.
    pub channel: Option<OperatingChannel>,
    /// Channel that the BSS is about to go to, of beacons, probe responses and action frames (9.4.2.18 and 9.4.2.52).
    pub switch: Option<ChannelSwitch>,
    /// Capabilities that the frame announces.
    pub capabilities: Option<Capabilities>,
}

impl Management {
    /// `None` if there is nothing in it.
    pub fn boxed(self) -> Option<Box<Management>> {
        (self != Management::default()).then(|| Box::new(self))
    }
}

/// BSS Load element: how busy an access point says its BSS is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BssLoad {
    /// Associated stations.
    pub stations: u16,
    /// Share of time that the access point sensed the primary channel busy, in units of 1/255.
    pub utilization: u8,
    /// Medium time that explicit admission control has left, in units of 32 us per second.
    pub admission: u16,
}

impl BssLoad {
    /// Share of time that the primary channel was busy, 0 to 1.
    pub fn busy_share(self) -> f64 {
        f64::from(self.utilization) / 255.0
    }

    /// Medium time left, microseconds per second.
    pub fn admission_us(self) -> u32 {
        u32::from(self.admission) * 32
    }
}
