//! What each sender did one after the other: since when a packet was next in line, and which packets went back to back.
//!
//! `winf_analyzer/estimators/succession.py` says how the head of line is estimated.

pub mod names;
pub mod table;

/// Head of line and end of the previous exchange are one instant: clocks count whole microseconds.
const SAME_INSTANT_NS: i64 = 2000;

/// The window doubles with every repetition, this often at the most (10.3.3).
const MOST_DOUBLINGS: i64 = 5;

/// An exchange as its observer saw it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// Number of the air it was on.
    pub medium: usize,
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

/// What is known so far, by the numbers of media, senders and links, which count from 0.
#[derive(Default)]
pub struct Succession {
    media: Vec<Medium>,
    senders: Vec<Option<Sender>>,
    firsts: Vec<Option<First>>,
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
        let medium = at(&mut self.media, exchange.medium);
        let idle_ns = medium.ended_ns.map_or(0, |ended_ns| exchange.air_start_ns.wrapping_sub(ended_ns).max(0));
        medium.idle_ns = medium.idle_ns.wrapping_add(idle_ns);
        medium.exchanges = medium.exchanges.wrapping_add(1);
        medium.ended_ns = Some(exchange.end_ns);
        let (medium, turn) = (*medium, exchange.turn?);

        let sender = at(&mut self.senders, turn.sender);
        let last = sender.as_ref();
        let waited_ns = last.map(|last| medium.idle_ns.wrapping_sub(last.idle_ns));
        let accesses = last.map(|last| medium.exchanges.wrapping_sub(last.exchanges));
        let told = head_of_line(exchange, &turn, last, waited_ns, accesses);
        let known = told.or(last.and_then(|last| last.hol_ns));
        let hol_ns = known.map_or(exchange.air_start_ns, |known| known.min(exchange.air_start_ns));
        let Medium { idle_ns, exchanges, .. } = medium;
        *sender = Some(Sender { end_ns: exchange.end_ns, hol_ns: known, idle_ns, exchanges });
        let pair = turn.packet.and_then(|packet| self.pair(exchange, hol_ns, &packet));
        Some(Told { hol_ns, waited_ns, accesses, pair })
    }

    fn pair(&mut self, exchange: &Exchange, hol_ns: i64, packet: &Packet) -> Option<Pair> {
        let (data_ns, payload_bytes) = (packet.data_ns?, packet.payload_bytes);
        let second = First { data_ns, payload_bytes, hol_ns, end_ns: exchange.end_ns };
        let first = at(&mut self.firsts, packet.link).replace(second)?;
        let is_next = hol_ns.wrapping_sub(first.end_ns).wrapping_abs() <= SAME_INSTANT_NS;
        let alike = payload_bytes.is_some() && payload_bytes == first.payload_bytes;
        (is_next && alike && data_ns > first.data_ns && first.data_ns > first.hol_ns).then(|| Pair {
            dispersion_ns: data_ns.wrapping_sub(first.data_ns),
            delay_sum_ns: first.data_ns.wrapping_add(data_ns).wrapping_sub(first.hol_ns.wrapping_mul(2)),
        })
    }
}

/// What is known of a number, nothing at first.
fn at<T: Default>(known: &mut Vec<T>, number: usize) -> &mut T {
    if number >= known.len() {
        known.resize_with(number + 1, T::default);
    }
    &mut known[number]
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// From `at_ms`, a millisecond long; its access costs 0.1 ms, a backoff at most 0.05 + 16 x 0.02 ms.
    fn exchange(at_ms: f64, sender: usize) -> Exchange {
        let air_start_ns = (at_ms * 1e6) as i64;
        let packet = Packet { link: sender, data_ns: Some(air_start_ns + MS / 2), payload_bytes: Some(1500) };
        let turn = Turn {
            sender,
            access_ns: Some(100_000),
            difs_ns: Some(50_000),
            cw_min: Some(15),
            slot_ns: Some(20_000),
            packet: Some(packet),
            ..Turn::default()
        };
        Exchange { medium: 0, air_start_ns, end_ns: air_start_ns + MS, turn: Some(turn) }
    }

    fn with(exchange: Exchange, change: impl FnOnce(&mut Turn)) -> Exchange {
        let mut turn = exchange.turn.unwrap();
        change(&mut turn);
        Exchange { turn: Some(turn), ..exchange }
    }

    #[test]
    fn who_kept_contending_had_the_next_packet_in_line() {
        let mut succession = Succession::default();
        let first = succession.follow(&exchange(1.0, 0)).unwrap();
        assert_eq!(first, Told { hol_ns: MS - 100_000, waited_ns: None, accesses: None, pair: None });

        let other = Exchange { turn: None, ..exchange(2.125, 0) };
        assert_eq!(succession.follow(&other), None);

        let second = succession.follow(&exchange(3.25, 0)).unwrap();
        assert_eq!((second.hol_ns, second.waited_ns, second.accesses), (2 * MS, Some(250_000), Some(2)));
        let pair = second.pair.unwrap();
        assert_eq!(pair, Pair { dispersion_ns: 2_250_000, delay_sum_ns: 600_000 + 2_850_000 });

        let late = succession.follow(&exchange(9.0, 0)).unwrap();
        assert_eq!((late.hol_ns, late.pair), (9 * MS - 100_000, None));
    }

    #[test]
    fn a_repetition_belongs_to_the_first_attempt() {
        let mut succession = Succession::default();
        succession.follow(&exchange(1.0, 0));
        let again = with(exchange(2.125, 0), |turn| turn.attempt = Some(2));
        assert_eq!(succession.follow(&again).unwrap().hol_ns, MS - 100_000);
        let late = with(exchange(9.0, 0), |turn| turn.attempt = Some(3));
        assert_eq!(succession.follow(&late).unwrap().hol_ns, 9 * MS - 100_000);
    }

    #[test]
    fn what_was_recorded_counts_and_nothing_comes_after_the_air() {
        let mut succession = Succession::default();
        let recorded = with(exchange(5.0, 0), |turn| turn.service_ns = Some(3 * MS));
        assert_eq!(succession.follow(&recorded).unwrap().hol_ns, 3 * MS);
        let too_late = with(exchange(7.0, 0), |turn| turn.service_ns = Some(0));
        assert_eq!(succession.follow(&too_late).unwrap().hol_ns, 7 * MS);
        let unknown = with(exchange(8.0, 1), |turn| turn.access_ns = None);
        assert_eq!(succession.follow(&unknown).unwrap().hol_ns, 8 * MS);
    }

    #[test]
    fn packets_of_two_sizes_or_links_make_no_pair() {
        for change in [|packet: &mut Packet| packet.payload_bytes = Some(40), |packet: &mut Packet| packet.link = 7] {
            let mut succession = Succession::default();
            succession.follow(&exchange(1.0, 0));
            let other = with(exchange(2.125, 0), |turn| change(turn.packet.as_mut().unwrap()));
            assert_eq!(succession.follow(&other).unwrap().pair, None);
        }
    }

    #[test]
    fn the_ends_of_time_wrap_and_do_not_panic() {
        let mut succession = Succession::default();
        for (number, ends) in
            [i64::MIN, -1, 0, i64::MAX].into_iter().flat_map(|a| [(0, [a, i64::MIN]), (1, [i64::MAX, a])])
        {
            let all = Some(ends[0]);
            let packet = Packet { link: number, data_ns: Some(ends[1]), payload_bytes: all };
            let turn = Turn {
                sender: number,
                access_ns: all,
                difs_ns: all,
                cw_min: all,
                slot_ns: all,
                attempt: all,
                ..Turn::default()
            };
            for service_ns in [None, all] {
                let turn = Turn { service_ns, packet: Some(packet), ..turn };
                let told = succession.follow(&Exchange {
                    medium: 0,
                    air_start_ns: ends[0],
                    end_ns: ends[1],
                    turn: Some(turn),
                });
                assert!(told.unwrap().hol_ns <= ends[0]);
            }
        }
    }
}
