//! When each packet reached the head of its sender's queue, and which packets were sent back to back.
//!
//! Follows the exchanges of each sender in order. `winf_analyzer/_aggregate/head_of_line.py` says how the instant is
//! estimated. Times are ns; those of damaged recordings wrap around, as they do in Polars.

pub mod names;
pub mod table;

/// Largest difference at which head of line and the end of the previous exchange count as one instant: stamps are in us.
const SAME_INSTANT_NS: i64 = 2000;

/// Most doublings of the contention window by retries (10.3.3).
const MAX_DOUBLINGS: i64 = 5;

/// An exchange as its observer saw it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// Number of the medium it was on.
    pub medium: usize,
    /// Start of its first frame.
    pub air_start_ns: i64,
    /// End of its last.
    pub end_ns: i64,
    /// The sender's view; None where the sender is unknown.
    pub access: Option<Access>,
}

/// What is known of an exchange as a channel access of its sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Access {
    /// Number of the sender among those of all media.
    pub sender: usize,
    /// Mean cost of a channel access: DIFS and backoff.
    pub access_ns: Option<i64>,
    /// From head of line to end, where the recording states it.
    pub service_ns: Option<i64>,
    /// DIFS.
    pub difs_ns: Option<i64>,
    /// CWmin: slots of the first contention window, less one.
    pub cw_min: Option<i64>,
    /// Slot time.
    pub slot_ns: Option<i64>,
    /// Transmissions of the packet, this one included.
    pub attempt: Option<i64>,
    /// The packet, where it was delivered to one station.
    pub packet: Option<Packet>,
}

/// A delivered packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// Number of the link among those of all media.
    pub link: usize,
    /// End of its data.
    pub data_ns: Option<i64>,
    /// Its size.
    pub payload_bytes: Option<i64>,
}

/// What is inferred about an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// When the packet came to the head of line.
    pub hol_ns: i64,
    /// How long the medium was idle since the sender's previous exchange.
    pub waited_ns: Option<i64>,
    /// How many exchanges ended since, this one included.
    pub accesses: Option<i64>,
    /// Set on the second packet of a packet pair.
    pub pair: Option<Pair>,
}

/// Two packets of one link and size; the second reached the head of line when the first was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Between the ends of their data.
    pub dispersion_ns: i64,
    /// Of both ends, counted from the head of line of the first.
    pub delay_sum_ns: i64,
}

/// State by the numbers of media, senders and links, which count from 0.
#[derive(Default)]
pub struct HeadOfLine {
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

impl HeadOfLine {
    /// Takes the next exchange of its medium, in the order of their ends; None where the sender is unknown.
    pub fn follow(&mut self, exchange: &Exchange) -> Option<Timing> {
        let medium = at(&mut self.media, exchange.medium);
        let idle_ns = medium.ended_ns.map_or(0, |ended_ns| exchange.air_start_ns.wrapping_sub(ended_ns).max(0));
        medium.idle_ns = medium.idle_ns.wrapping_add(idle_ns);
        medium.exchanges = medium.exchanges.wrapping_add(1);
        medium.ended_ns = Some(exchange.end_ns);
        let (medium, access) = (*medium, exchange.access?);

        let sender = at(&mut self.senders, access.sender);
        let last = sender.as_ref();
        let waited_ns = last.map(|last| medium.idle_ns.wrapping_sub(last.idle_ns));
        let accesses = last.map(|last| medium.exchanges.wrapping_sub(last.exchanges));
        let inferred = reached_head_of_line(exchange, &access, last, waited_ns, accesses);
        let known = inferred.or(last.and_then(|last| last.hol_ns));
        let hol_ns = known.map_or(exchange.air_start_ns, |known| known.min(exchange.air_start_ns));
        let Medium { idle_ns, exchanges, .. } = medium;
        *sender = Some(Sender { end_ns: exchange.end_ns, hol_ns: known, idle_ns, exchanges });
        let pair = access.packet.and_then(|packet| self.pair(exchange, hol_ns, &packet));
        Some(Timing { hol_ns, waited_ns, accesses, pair })
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

/// The entry of a number, default at first.
fn at<T: Default>(known: &mut Vec<T>, number: usize) -> &mut T {
    if number >= known.len() {
        known.resize_with(number + 1, T::default);
    }
    &mut known[number]
}

/// When the packet reached the head of line; None for retransmissions, which keep the instant of the first attempt.
fn reached_head_of_line(
    exchange: &Exchange,
    access: &Access,
    last: Option<&Sender>,
    waited_ns: Option<i64>,
    accesses: Option<i64>,
) -> Option<i64> {
    if let Some(service_ns) = access.service_ns {
        return Some(exchange.end_ns.wrapping_sub(service_ns));
    }
    let contended = last.filter(|_| contends(access, waited_ns, accesses).unwrap_or(false));
    match contended {
        Some(_) if access.attempt.is_some_and(|attempt| attempt > 1) => None,
        Some(last) => Some(last.end_ns),
        None => access.access_ns.map(|access_ns| exchange.air_start_ns.wrapping_sub(access_ns)),
    }
}

/// Whether the medium was idle for no longer than a backoff takes: the sender was contending.
fn contends(access: &Access, waited_ns: Option<i64>, accesses: Option<i64>) -> Option<bool> {
    let doublings = access.attempt.unwrap_or(1).wrapping_sub(1).clamp(0, MAX_DOUBLINGS);
    let backoff_ns = access.cw_min?.wrapping_add(1).wrapping_mul(1 << doublings).wrapping_mul(access.slot_ns?);
    let difs_ns = accesses?.wrapping_mul(access.difs_ns?);
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
        let access = Access {
            sender,
            access_ns: Some(100_000),
            difs_ns: Some(50_000),
            cw_min: Some(15),
            slot_ns: Some(20_000),
            packet: Some(packet),
            ..Access::default()
        };
        Exchange { medium: 0, air_start_ns, end_ns: air_start_ns + MS, access: Some(access) }
    }

    fn with(exchange: Exchange, change: impl FnOnce(&mut Access)) -> Exchange {
        let mut access = exchange.access.unwrap();
        change(&mut access);
        Exchange { access: Some(access), ..exchange }
    }

    #[test]
    fn a_backlogged_sender_has_its_next_packet_at_the_head_of_line() {
        let mut head_of_line = HeadOfLine::default();
        let first = head_of_line.follow(&exchange(1.0, 0)).unwrap();
        assert_eq!(first, Timing { hol_ns: MS - 100_000, waited_ns: None, accesses: None, pair: None });

        let other = Exchange { access: None, ..exchange(2.125, 0) };
        assert_eq!(head_of_line.follow(&other), None);

        let second = head_of_line.follow(&exchange(3.25, 0)).unwrap();
        assert_eq!((second.hol_ns, second.waited_ns, second.accesses), (2 * MS, Some(250_000), Some(2)));
        let pair = second.pair.unwrap();
        assert_eq!(pair, Pair { dispersion_ns: 2_250_000, delay_sum_ns: 600_000 + 2_850_000 });

        let late = head_of_line.follow(&exchange(9.0, 0)).unwrap();
        assert_eq!((late.hol_ns, late.pair), (9 * MS - 100_000, None));
    }

    #[test]
    fn a_repetition_belongs_to_the_first_attempt() {
        let mut head_of_line = HeadOfLine::default();
        head_of_line.follow(&exchange(1.0, 0));
        let again = with(exchange(2.125, 0), |access| access.attempt = Some(2));
        assert_eq!(head_of_line.follow(&again).unwrap().hol_ns, MS - 100_000);
        let late = with(exchange(9.0, 0), |access| access.attempt = Some(3));
        assert_eq!(head_of_line.follow(&late).unwrap().hol_ns, 9 * MS - 100_000);
    }

    #[test]
    fn what_was_recorded_counts_and_nothing_comes_after_the_air() {
        let mut head_of_line = HeadOfLine::default();
        let recorded = with(exchange(5.0, 0), |access| access.service_ns = Some(3 * MS));
        assert_eq!(head_of_line.follow(&recorded).unwrap().hol_ns, 3 * MS);
        let too_late = with(exchange(7.0, 0), |access| access.service_ns = Some(0));
        assert_eq!(head_of_line.follow(&too_late).unwrap().hol_ns, 7 * MS);
        let unknown = with(exchange(8.0, 1), |access| access.access_ns = None);
        assert_eq!(head_of_line.follow(&unknown).unwrap().hol_ns, 8 * MS);
    }

    #[test]
    fn packets_of_two_sizes_or_links_make_no_pair() {
        for change in [|packet: &mut Packet| packet.payload_bytes = Some(40), |packet: &mut Packet| packet.link = 7] {
            let mut head_of_line = HeadOfLine::default();
            head_of_line.follow(&exchange(1.0, 0));
            let other = with(exchange(2.125, 0), |access| change(access.packet.as_mut().unwrap()));
            assert_eq!(head_of_line.follow(&other).unwrap().pair, None);
        }
    }

    #[test]
    fn the_ends_of_time_wrap_and_do_not_panic() {
        let mut head_of_line = HeadOfLine::default();
        for (number, ends) in
            [i64::MIN, -1, 0, i64::MAX].into_iter().flat_map(|a| [(0, [a, i64::MIN]), (1, [i64::MAX, a])])
        {
            let all = Some(ends[0]);
            let packet = Packet { link: number, data_ns: Some(ends[1]), payload_bytes: all };
            let access = Access {
                sender: number,
                access_ns: all,
                difs_ns: all,
                cw_min: all,
                slot_ns: all,
                attempt: all,
                ..Access::default()
            };
            for service_ns in [None, all] {
                let access = Access { service_ns, packet: Some(packet), ..access };
                let timing = head_of_line.follow(&Exchange {
                    medium: 0,
                    air_start_ns: ends[0],
                    end_ns: ends[1],
                    access: Some(access),
                });
                assert!(timing.unwrap().hol_ns <= ends[0]);
            }
        }
    }
}
