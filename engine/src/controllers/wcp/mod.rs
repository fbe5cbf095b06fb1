//! WCP: AIMD rate control that shares congestion and round-trip times over neighbourhoods.
//!
//! Source: S. Rangwala, A. Jindal, K.-Y. Jang, K. Psounis, R. Govindan, "Neighborhood-Centric Congestion Control for
//! Multi-Hop Wireless Mesh Networks" (S003), sec. III-A. A link `i -> j` shares the medium with every link that has an
//! end in `N[i] U N[j]`, the nodes that hear `i` or `j`. When its queue is long, all packets on those links are marked;
//! and sources act at the pace of the slowest flow of the neighbourhoods they cross.
//!
//! Modes. `paper` tells neighbours what sec. III-A lets a packet carry ([`Signals::OneLink`]), and sends at `r / p` as
//! printed. `corrected` tells of every link, and sends at `r / (1 - p)`, which the prose describes.

pub mod heard;
pub mod neighbourhood;
mod router;
mod source;

use serde::Deserialize;

use crate::controller::{Controller, Endpoint, FlowSetup, Mode, NodeSetup, Octets, Router};
pub use router::{QueueAverage, WcpRouter};
pub use source::{goodput_corrected, LossRate, WcpSource};

/// Octets of the three bits of a frame: its own link, one of the node and one of a neighbour are congested.
const BITS: u32 = 1;
/// Octets of the sender and the receiver of a link.
const LINK_ENDS: u32 = 2;
/// Octets of the largest average and the largest last round-trip time.
const LARGEST_RTTS: u32 = 2;

/// Constants of WCP: S003 Table I where the paper gives them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WcpConfig {
    /// Additive increase alpha, packets/s per control interval. The table has 0.1 without a unit; packets/s gives the
    /// sawtooth periods of its Fig. 14.
    pub increase_packets_per_s: f64,
    /// Weight `w_q` of the average queue.
    pub queue_weight: f64,
    /// Congestion threshold K on the average queue, packets.
    pub congestion_threshold_packets: f64,
    /// Rate a flow starts with, packets/s. Not in the paper.
    pub initial_packets_per_s: f64,
    /// Whether a congested link marks the packets of all links of its neighbourhood, or only its own.
    pub share_congestion: bool,
    /// Whether control intervals are the largest round-trip times of the neighbourhoods, or the flow's own.
    pub share_rtt: bool,
    /// How far what a node reports is passed on.
    pub reach: Reach,
    /// What a packet tells those who hear it; none: as [`Wcp`] says of its mode.
    pub signals: Option<Signals>,
    /// What the goodput correction divides the rate by; none: as [`Wcp`] says of its mode.
    pub goodput_correction: Option<GoodputCorrection>,
    /// Sent packets over which the loss rate is counted. Not in the paper.
    pub loss_window_packets: usize,
    /// How long a node keeps a report of a link, seconds. Not in the paper.
    pub hold_s: f64,
    /// Rate at which what a packet tells is sent, bit/s, S003's other remedy where nodes interfere that cannot decode each
    /// other (sec. IV-C): nodes that only sense the frame are told, too. None: like the rest of the frame.
    pub control_rate_bps: Option<u64>,
}

/// What a packet tells those who hear it of the links around its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signals {
    /// Whether its own link is congested; one congested link of the node, and one of its neighbours; the largest
    /// round-trip times of the node's links, and of its neighbours' (S003 sec. III-A).
    OneLink,
    /// All that the node knows of every link of its own and of its neighbours, and when that was said. It takes the
    /// octets of one congested link of each, and those of no round-trip time.
    #[default]
    EveryLink,
}

/// Which links a node counts to the neighbourhood of its own `i -> j`, of those it is told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Those with an end in `N[i]`: what NRED's signals to one-hop neighbours reach (S003 sec. II).
    OneHop,
    /// Those with an end in `N[i] U N[j]`, as S003 defines `L(i -> j)`.
    #[default]
    Neighbourhood,
    /// All that neighbours tell of their neighbours: S003's remedy where nodes interfere that cannot decode each other
    /// (sec. IV-C).
    TwoHops,
}

/// How a source makes up for lost packets (S003 sec. III-A, "goodput correction").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoodputCorrection {
    /// Not at all.
    Off,
    /// `r / (1 - p)`: what the prose describes.
    #[default]
    DeliveryRatio,
    /// `r / p`, as printed; `r` where nothing is lost.
    LossRate,
}

impl Default for WcpConfig {
    fn default() -> Self {
        Self {
            increase_packets_per_s: 0.1,
            queue_weight: 0.02,
            congestion_threshold_packets: 4.0,
            initial_packets_per_s: 1.0,
            share_congestion: true,
            share_rtt: true,
            reach: Reach::default(),
            signals: None,
            goodput_correction: None,
            loss_window_packets: 100,
            hold_s: 5.0,
            control_rate_bps: None,
        }
    }
}

/// WCP with its constants.
#[derive(Clone, Debug)]
pub struct Wcp {
    mode: Mode,
    config: WcpConfig,
}

impl Wcp {
    /// `settings`: a JSON object with fields of [`WcpConfig`].
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(mode: Mode, settings: &serde_json::Value) -> Result<Self, String> {
        let mut config = WcpConfig::deserialize(settings).map_err(|error| error.to_string())?;
        config.check()?;
        let (signals, correction) = match mode {
            Mode::Paper => (Signals::OneLink, GoodputCorrection::LossRate),
            Mode::PaperGreedy | Mode::Corrected => (Signals::EveryLink, GoodputCorrection::DeliveryRatio),
        };
        config.signals.get_or_insert(signals);
        config.goodput_correction.get_or_insert(correction);
        Ok(Self { mode, config })
    }
}

impl WcpConfig {
    fn check(&self) -> Result<(), String> {
        let positive = [
            ("increase_packets_per_s", self.increase_packets_per_s),
            ("initial_packets_per_s", self.initial_packets_per_s),
            ("hold_s", self.hold_s),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(format!("{name} must be positive, not {value}"));
            }
        }
        if !(self.queue_weight > 0.0 && self.queue_weight <= 1.0) {
            return Err(format!("queue_weight must lie in (0, 1], not {}", self.queue_weight));
        }
        if self.congestion_threshold_packets.is_nan() || self.congestion_threshold_packets < 0.0 {
            return Err("congestion_threshold_packets must not be negative".to_owned());
        }
        if self.control_rate_bps == Some(0) {
            return Err("control_rate_bps must be positive".to_owned());
        }
        if self.loss_window_packets == 0 {
            return Err("loss_window_packets must be at least 1".to_owned());
        }
        Ok(())
    }
}

impl WcpConfig {
    /// Octets of what a packet tells.
    fn option_octets(&self) -> u32 {
        match self.signals.unwrap_or_default() {
            Signals::OneLink => BITS + 2 * (LINK_ENDS + LARGEST_RTTS),
            Signals::EveryLink => BITS + 2 * LINK_ENDS,
        }
    }
}

/// Octets at the rate of a link that take as long as `octets` at the rate of control messages.
#[must_use]
pub fn slowed_octets(octets: u32, rate_bps: u64, control_rate_bps: Option<u64>) -> u32 {
    let ratio = control_rate_bps.map_or(1.0, |control| rate_bps as f64 / control as f64);
    (f64::from(octets) * ratio.max(1.0)).ceil() as u32
}

impl Controller for Wcp {
    fn tells_interferers(&self) -> bool {
        self.config.control_rate_bps.is_some()
    }

    fn name(&self) -> &str {
        "wcp"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        Box::new(WcpSource::new(self.config.clone(), flow))
    }

    /// S003 sec. III-A says what is carried and not its length; its one byte for each variable of WCPCap (sec. III-B) is
    /// taken. Data: two round-trip times, two shared ones, the bit; acknowledgements: the latter three. On every frame:
    /// bits, and the ends of a congested link of the node and of one of a neighbour; where one of each is told, also the
    /// two largest round-trip times of both.
    fn octets(&self) -> Octets {
        let option = self.config.option_octets();
        Octets { data_header: 5, ack_header: 3, data_option: option, ack_option: option, mac_ack: 0 }
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        Some(Box::new(WcpRouter::new(self.config.clone(), node)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five octets at 1 Mbit/s take as long as 55 at 11 Mbit/s; of a rate that is not lower nothing comes.
    #[test]
    fn octets_at_a_lower_rate_take_longer() {
        let slowed =
            [None, Some(1_000_000), Some(2_000_000), Some(54_000_000)].map(|rate| slowed_octets(5, 11_000_000, rate));
        assert_eq!(slowed, [5, 55, 28, 5]);
        assert!(Wcp::new(Mode::Corrected, &serde_json::json!({"control_rate_bps": 0})).is_err());
    }

    #[test]
    fn paper_tells_of_one_link_and_divides_by_the_loss_rate() {
        for (mode, signals, correction, option) in [
            (Mode::Paper, Signals::OneLink, GoodputCorrection::LossRate, 9),
            (Mode::Corrected, Signals::EveryLink, GoodputCorrection::DeliveryRatio, 5),
        ] {
            let wcp = Wcp::new(mode, &serde_json::json!({})).unwrap();
            assert_eq!((wcp.config.signals, wcp.config.goodput_correction), (Some(signals), Some(correction)));
            assert_eq!((wcp.octets().data_option, wcp.octets().ack_option), (option, option));
        }
        let asked = serde_json::json!({"signals": "one_link", "goodput_correction": "off"});
        let wcp = Wcp::new(Mode::Corrected, &asked).unwrap();
        assert_eq!(wcp.config.signals, Some(Signals::OneLink));
        assert_eq!(wcp.config.goodput_correction, Some(GoodputCorrection::Off));
        assert_eq!(wcp.octets().data_option, 9);
    }
}
