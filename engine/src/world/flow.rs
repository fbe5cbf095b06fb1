//! A flow as it is declared.

use serde::{Deserialize, Serialize};

use crate::units::{Nanos, SECOND};

/// One flow: its path, its traffic source, and the constants of its transport.
///
/// Only `name` and `path` must be given; the rest has the defaults of [`FlowSpec::new`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Name in the results; unique in a world.
    pub name: String,
    /// Names of the nodes of its path, source first; each at most once.
    pub path: Vec<String>,
    /// Path of the acknowledgements; by default the same nodes the other way.
    #[serde(default)]
    pub reverse_path: Option<Vec<String>>,
    /// Paths it changes to later, in order of time.
    #[serde(default)]
    pub reroutes: Vec<Reroute>,
    /// When the source begins.
    #[serde(default)]
    pub start_ns: Nanos,
    /// When the source stops to send new packets; `None`: at the end of the run.
    #[serde(default)]
    pub stop_ns: Option<Nanos>,
    /// What the source has to send.
    #[serde(default)]
    pub source: Source,
    /// Largest segment, payload bytes. A G.711 source sends its own frames of 160 bytes whatever this is.
    #[serde(default = "default_payload_bytes")]
    pub payload_bytes: u32,
    /// Transport and IP headers of one packet, bytes.
    #[serde(default = "default_header_bytes")]
    pub header_bytes: u32,
    /// Size of a transport acknowledgement, headers included, bytes; 0: the destination sends none, as with UDP.
    #[serde(default = "default_ack_bytes")]
    pub ack_bytes: u32,
    /// The transport's constants.
    #[serde(default)]
    pub transport: TransportSpec,
    /// Index of the controller among those handed to the simulation; `None`: the first.
    #[serde(default)]
    pub controller: Option<usize>,
    /// Whether it is cross traffic: it contends for the medium like any flow, but is not in the results. Such flows
    /// come after all others.
    #[serde(default)]
    pub background: bool,
}

/// A path that a flow changes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reroute {
    /// When.
    pub at_ns: Nanos,
    /// The new path; its ends are the flow's.
    pub path: Vec<String>,
    /// The new path of acknowledgements; by default the same nodes the other way.
    #[serde(default)]
    pub reverse_path: Option<Vec<String>>,
}

/// What a source has to send.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// Always something.
    #[default]
    Greedy,
    /// So many payload bytes.
    Bytes(u64),
    /// Packets of full size at a fixed rate, whatever the network does.
    Cbr {
        /// Payload bits per second.
        rate_bps: u64,
    },
    /// G.711 voice (ITU-T G.711, RFC 3551): 160 payload bytes every 20 ms.
    Voip,
    /// Packets at given instants: `[at_ns, payload_bytes]`, in order of time.
    Scheduled(Vec<(Nanos, u32)>),
}

impl Source {
    /// Whether packets have times of their own, so that they leave without acknowledgements.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        match self {
            Self::Greedy | Self::Bytes(_) => false,
            Self::Cbr { .. } | Self::Voip | Self::Scheduled(_) => true,
        }
    }
}

/// How the window goes down in fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowReduction {
    /// At once: nothing leaves until so much has left the network (RFC 6675, RFC 6582).
    #[default]
    Rfc6675,
    /// In proportion to what arrives (RFC 6937; Linux, ns-3), with selective acknowledgements and for controllers that
    /// have a slow-start threshold.
    Prr,
    /// Likewise as ns-3.37 computes it, whose product of what arrived and the threshold, both in bytes, is kept in 32
    /// bits: from windows of some dozens of segments on a few leave, and then none until the threshold is reached. Only
    /// the first partial acknowledgement of a recovery restarts the timer.
    PrrNs3,
}

/// Constants of the transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransportSpec {
    /// Bytes that the destination lets the source have in flight.
    pub receive_window_bytes: u32,
    /// Whether a SYN and its answer open the connection before any data leaves (RFC 9293, sec. 3.5). They give the
    /// first sample of the round-trip time, and cost one.
    pub handshake: bool,
    /// Initial window, segments.
    pub initial_window_segments: u32,
    /// Whether acknowledgements carry selective information (RFC 2018).
    pub sack: bool,
    /// Without them, whether each partial acknowledgement repairs the next loss of a window (NewReno, RFC 6582), or the
    /// first one ends recovery (Reno, RFC 5681; ns-2's XCP sources).
    pub partial_acks: bool,
    /// How the window goes down in fast recovery.
    pub recovery: WindowReduction,
    /// Whether time stamps (RFC 7323) give round-trip times of segments that were sent again, too. A back-off still lasts
    /// until a segment that was sent once is acknowledged, as in ns-2.
    pub timestamps: bool,
    /// Whether data packets may be marked rather than dropped (RFC 3168).
    pub ecn: bool,
    /// Least retransmission timeout (RFC 6298: 1 s; ns-2: 0.2 s).
    pub minimum_timeout_ns: Nanos,
    /// Largest retransmission timeout (RFC 6298: at least 60 s; S004: 2 s).
    pub maximum_timeout_ns: Nanos,
    /// Whether every second segment is acknowledged, or after this long; `None`: each at once.
    pub delayed_ack_ns: Option<Nanos>,
}

impl Default for TransportSpec {
    fn default() -> Self {
        Self {
            receive_window_bytes: 1 << 20,
            handshake: false,
            initial_window_segments: 1,
            sack: true,
            partial_acks: true,
            recovery: WindowReduction::Rfc6675,
            timestamps: false,
            ecn: false,
            minimum_timeout_ns: SECOND,
            maximum_timeout_ns: 60 * SECOND,
            delayed_ack_ns: None,
        }
    }
}

impl FlowSpec {
    /// A greedy flow over `path` from the start to the end of the run, TCP's sizes with 1000-byte segments.
    #[must_use]
    pub fn new<S: Into<String>>(name: impl Into<String>, path: impl IntoIterator<Item = S>) -> Self {
        Self {
            name: name.into(),
            path: path.into_iter().map(Into::into).collect(),
            reverse_path: None,
            reroutes: Vec::new(),
            start_ns: 0,
            stop_ns: None,
            source: Source::Greedy,
            payload_bytes: default_payload_bytes(),
            header_bytes: default_header_bytes(),
            ack_bytes: default_ack_bytes(),
            transport: TransportSpec::default(),
            controller: None,
            background: false,
        }
    }

    /// The same flow with another source.
    #[must_use]
    pub fn with_source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// The same flow between two instants.
    #[must_use]
    pub fn between(mut self, start_ns: Nanos, stop_ns: Nanos) -> Self {
        self.start_ns = start_ns;
        self.stop_ns = Some(stop_ns);
        self
    }

    /// The same flow without transport acknowledgements and with UDP's headers.
    #[must_use]
    pub fn unacknowledged(mut self) -> Self {
        self.ack_bytes = 0;
        self.header_bytes = 28;
        self
    }
}

fn default_payload_bytes() -> u32 {
    1000
}

/// IPv4 and TCP without options.
fn default_header_bytes() -> u32 {
    40
}

fn default_ack_bytes() -> u32 {
    40
}
