//! What each sender did one after the other: since when a packet was next in line, and which packets went back to back.
//!
//! `winf_analyzer/estimators/succession.py` says how the head of line is estimated.

use std::collections::HashMap;

/// Head of line and end of the previous exchange are one instant: clocks count whole microseconds.
const SAME_INSTANT_NS: i64 = 2000;

/// The window doubles with every repetition, this often at the most (10.3.3).
const MOST_DOUBLINGS: i64 = 5;

/// An exchange as its observer saw it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// The air it was on.
    pub medium: u32,
    /// Start of its first frame.
    pub air_start_ns: i64,
    /// End of its last.
    pub end_ns: i64,
    /// Who began it.
    pub turn: Option<Turn>,
}

/// What is known of it as its sender's turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    /// Number of the sender among those of all media.
    pub sender: usize,
    /// Cost of the access before it.
    pub access_ns: Option<i64>,
    /// From head of line to end, recorded.
    pub service_ns: Option<i64>,
    /// DIFS.
    pub difs_ns: Option<i64>,
    /// Slots of the first backoff window, less one.
    pub cw_min: Option<i64>,
    /// A slot.
    pub slot_ns: Option<i64>,
    /// Transmissions of the packet, this one included.
    pub attempt: Option<i64>,
    /// The packet, where it arrived at one station.
    pub packet: Option<Packet>,
}

/// A packet that arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// Number of the link among those of all media.
    pub link: usize,
    /// End of its data.
    pub data_ns: Option<i64>,
    /// Its size.
    pub payload_bytes: Option<i64>,
}

/// What the succession tells of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// When the packet came to the head of line.
    pub hol_ns: i64,
    /// How long the medium was idle since the sender's previous exchange.
    pub waited_ns: Option<i64>,
    /// How many exchanges ended since, this one included.
    pub accesses: Option<i64>,
    /// Of the second packet of a pair.
    pub pair: Option<Pair>,
}

/// Two packets of one link and size, the second next in line when the first was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Between the ends of their data.
    pub dispersion_ns: i64,
    /// Of both ends, counted from the head of line of the first.
    pub delay_sum_ns: i64,
}

/// What is known so far.
#[derive(Default)]
pub struct Succession {
    media: HashMap<u32, Medium>,
    senders: HashMap<usize, Sender>,
    firsts: HashMap<usize, First>,
}

#[derive(Clone, Copy, Default)]
struct Medium {
    ended_ns: Option<i64>,
    idle_ns: i64,
    exchanges: i64,
}

/// The last exchange of a sender, and its medium then.
struct Sender {
    end_ns: i64,
    hol_ns: Option<i64>,
    idle_ns: i64,
    exchanges: i64,
}

/// The last packet of a link that may begin a pair.
struct First {
    data_ns: i64,
    payload_bytes: Option<i64>,
    hol_ns: i64,
    end_ns: i64,
}

impl Succession {
    /// Takes the next exchange of its medium, in the order of their ends; None where the sender is unknown.
    pub fn follow(&mut self, exchange: &Exchange) -> Option<Told> {
        let medium = self.media.entry(exchange.medium).or_default();
        let idle_ns = medium.ended_ns.map_or(0, |ended_ns| exchange.air_start_ns.wrapping_sub(ended_ns).max(0));
        medium.idle_ns = medium.idle_ns.wrapping_add(idle_ns);
        medium.exchanges = medium.exchanges.wrapping_add(1);
        medium.ended_ns = Some(exchange.end_ns);
        let (medium, turn) = (*medium, exchange.turn?);

        let last = self.senders.get(&turn.sender);
        let waited_ns = last.map(|last| medium.idle_ns.wrapping_sub(last.idle_ns));
        let accesses = last.map(|last| medium.exchanges.wrapping_sub(last.exchanges));
        let told = head_of_line(exchange, &turn, last, waited_ns, accesses);
        let known = told.or(last.and_then(|last| last.hol_ns));
        let hol_ns = known.map_or(exchange.air_start_ns, |known| known.min(exchange.air_start_ns));
        let now =
            Sender { end_ns: exchange.end_ns, hol_ns: known, idle_ns: medium.idle_ns, exchanges: medium.exchanges };
        self.senders.insert(turn.sender, now);
        let pair = turn.packet.and_then(|packet| self.pair(exchange, hol_ns, &packet));
        Some(Told { hol_ns, waited_ns, accesses, pair })
    }

    fn pair(&mut self, exchange: &Exchange, hol_ns: i64, packet: &Packet) -> Option<Pair> {
        let (data_ns, payload_bytes) = (packet.data_ns?, packet.payload_bytes);
        let second = First { data_ns, payload_bytes, hol_ns, end_ns: exchange.end_ns };
        let first = self.firsts.insert(packet.link, second)?;
        let is_next = hol_ns.wrapping_sub(first.end_ns).wrapping_abs() <= SAME_INSTANT_NS;
        let alike = payload_bytes.is_some() && payload_bytes == first.payload_bytes;
        (is_next && alike && data_ns > first.data_ns && first.data_ns > first.hol_ns).then(|| Pair {
            dispersion_ns: data_ns.wrapping_sub(first.data_ns),
            delay_sum_ns: first.data_ns.wrapping_add(data_ns).wrapping_sub(first.hol_ns.wrapping_mul(2)),
        })
    }
}

/// The instant of the packet's first attempt; None in its repetitions, which take it from there.
fn head_of_line(
    exchange: &Exchange,
    turn: &Turn,
    last: Option<&Sender>,
    waited_ns: Option<i64>,
    accesses: Option<i64>,
) -> Option<i64> {
    if let Some(service_ns) = turn.service_ns {
        return Some(exchange.end_ns.wrapping_sub(service_ns));
    }
    let contended = last.filter(|_| contends(turn, waited_ns, accesses).unwrap_or(false));
    match contended {
        Some(_) if turn.attempt.is_some_and(|attempt| attempt > 1) => None,
        Some(last) => Some(last.end_ns),
        None => turn.access_ns.map(|access_ns| exchange.air_start_ns.wrapping_sub(access_ns)),
    }
}

/// The medium was idle for no longer than a backoff needs.
fn contends(turn: &Turn, waited_ns: Option<i64>, accesses: Option<i64>) -> Option<bool> {
    let doublings = turn.attempt.unwrap_or(1).wrapping_sub(1).clamp(0, MOST_DOUBLINGS);
    let backoff_ns = turn.cw_min?.wrapping_add(1).wrapping_mul(1 << doublings).wrapping_mul(turn.slot_ns?);
    let difs_ns = accesses?.wrapping_mul(turn.difs_ns?);
    Some(waited_ns? <= difs_ns.wrapping_add(backoff_ns))
}
