//! One station's state: carrier sense, backoff, and the exchange it is in.

use crate::index::{LinkId, NodeId};
use crate::measure::{BusyMeter, RtWinf};
use crate::random::Stream;
use crate::units::Nanos;

use super::ampdu::Ampdu;
use super::backoff::Backoff;
use super::carrier::Carrier;
use super::job::Job;

/// The packet in service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Service {
    /// What it is.
    pub(crate) job: Job,
    /// The node it is for.
    pub(crate) to: NodeId,
    /// Slots drawn for it so far, over all attempts.
    pub(crate) slots: u32,
    /// Airtime of its data frame in this attempt.
    pub(crate) data_airtime: Nanos,
    /// Airtime of the answer to that.
    pub(crate) answer: Nanos,
    /// The receiver has it, acknowledged or not.
    pub(crate) delivered: bool,
    /// The channel, and no other frame, corrupted this attempt.
    pub(crate) lost_by_channel: bool,
    /// The receiver drops the data frame of this attempt, whose format it does not know.
    pub(crate) not_understood: bool,
}

impl Service {
    /// Whether the node that sends it sends it to all.
    pub(crate) fn is_broadcast(&self, sender: NodeId) -> bool {
        self.to == sender
    }
}

/// State of a station in the exchange of its packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It has nothing to send.
    #[default]
    Idle,
    /// It contends for the medium.
    Contending,
    /// Its RTS, or the CTS to it, is under way.
    Requesting,
    /// From the CTS, or the start of its data frame, to the acknowledgement.
    Sending,
}

/// A frame due SIFS after another one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Response {
    /// CTS, with its Duration field.
    Cts(NodeId, LinkId, Nanos),
    /// Acknowledgement.
    Ack(NodeId, LinkId),
    /// Acknowledgement of several packets.
    BlockAck(NodeId, LinkId),
    /// The packet in service.
    Data,
}

/// A station.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    /// Its carrier sense.
    pub(crate) carrier: Carrier,
    /// Whether the medium was idle at its last carrier-sense update.
    pub(crate) idle: bool,
    /// Since when it is idle.
    pub(crate) idle_since: Nanos,
    /// EIFS after the last corrupted frame runs until then.
    pub(crate) eifs_until: Nanos,
    /// Its backoff.
    pub(crate) backoff: Backoff,
    /// Slots of its last draw; `None` before the first.
    pub(crate) last_draw: Option<u32>,
    /// When it is going to send.
    pub(crate) access_at: Option<Nanos>,
    /// When the next access event is; it may be earlier.
    pub(crate) access_event: Option<Nanos>,
    /// Contention window.
    pub(crate) window: u32,
    /// Failed attempts of short frames.
    pub(crate) short_retries: u32,
    /// Failed attempts of long frames.
    pub(crate) long_retries: u32,
    /// Number of this attempt: stale timeouts are recognised by it.
    pub(crate) attempt: u32,
    /// Where it is in sending.
    pub(crate) phase: Phase,
    /// The packet it sends.
    pub(crate) service: Option<Service>,
    /// The packets that it sends together, on a link that aggregates.
    pub(crate) ampdu: Ampdu,
    /// The response that is due.
    pub(crate) response: Option<Response>,
    /// Draws its backoffs.
    pub(crate) random: Stream,
    /// Busy share of the medium.
    pub(crate) busy: BusyMeter,
    /// rt-Winf as printed, where a controller reads it.
    pub(crate) rt_winf: Option<Box<RtWinf>>,
}

impl Station {
    /// A station at the start of a run.
    pub(crate) fn new(random: Stream, window: u32, background_corrupts: bool) -> Self {
        Self {
            carrier: Carrier::new(background_corrupts),
            idle: true,
            idle_since: 0,
            eifs_until: 0,
            backoff: Backoff::default(),
            last_draw: None,
            access_at: None,
            access_event: None,
            window,
            short_retries: 0,
            long_retries: 0,
            attempt: 0,
            phase: Phase::Idle,
            service: None,
            ampdu: Ampdu::default(),
            response: None,
            random,
            busy: BusyMeter::default(),
            rt_winf: None,
        }
    }

    /// When the medium will have been idle for long enough, if it stays idle.
    pub(crate) fn ready(&self, difs: Nanos) -> Nanos {
        (self.idle_since + difs).max(self.eifs_until)
    }

    /// Draws a packet's first backoff, where none is left from the packet before.
    pub(crate) fn redraw(&mut self, from: Nanos) {
        if let Some(service) = &mut self.service {
            service.slots = 0;
        }
        self.draw(from);
    }

    /// Draws a backoff from the contention window, which counts from `from` on.
    pub(crate) fn draw(&mut self, from: Nanos) {
        let slots = self.random.up_to(self.window);
        self.backoff.draw(from, slots);
        self.last_draw = Some(slots);
        if let Some(service) = &mut self.service {
            service.slots = service.slots.saturating_add(slots);
        }
    }
}
