//! PPDUs of a merge. Recorders that missed different subframes of an A-MPDU know it together.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::transmission::Transmission;
use crate::clock::divide;
use crate::frame::Frame;
use crate::ieee80211::constants::{AMPDU_MAX_MPDUS, PPDU_MAX_NS, SEQUENCE_HALF_RANGE, SEQUENCE_NUMBERS};

/// Begins, and ends, of one PPDU on aligned clocks are no further apart.
const SAME_NS: i64 = 10_000;
const MAX_SUBFRAMES: usize = AMPDU_MAX_MPDUS as usize;
/// Subframes among which those of one PPDU are searched: of no more than as many stations at a time.
const OTHERS: usize = 4 * MAX_SUBFRAMES;
/// How often they are looked through. Each time the chain of recorders that heard parts of one PPDU may go back once.
const ROUNDS: usize = 8;

/// Numbers the PPDU of the first transmission, and gives each of its subframes its place in it: a recorder that missed
/// what was before or behind a subframe took another one, and may have counted the preamble to it.
///
/// `recent` are transmissions in order of time, the whole PPDU of the first one among them; it is in order again.
pub(super) fn complete(recent: &mut VecDeque<Transmission>, number: u64) {
    let members = members(recent);
    for &member in &members {
        if let Some(transmission) = recent.get_mut(member) {
            transmission.is_placed = true;
            transmission.ppdu = (members.len() > 1).then_some(number);
        }
    }
    let subframes: Vec<&Transmission> = members.iter().filter_map(|&member| recent.get(member)).collect();
    let Some((order, frames)) = places(&subframes) else { return };
    let placed: Vec<usize> = order.iter().filter_map(|&at| members.get(at).copied()).collect();
    for (member, Frame { start_ns, end_ns, airtime_us, assumptions, .. }) in placed.into_iter().zip(frames) {
        let Some(transmission) = recent.get_mut(member) else { continue };
        let frame = &mut transmission.frame;
        (frame.start_ns, frame.end_ns, frame.airtime_us) = (start_ns, end_ns, airtime_us);
        frame.assumptions = assumptions;
        transmission.at_ns = start_ns.unwrap_or(transmission.at_ns);
    }
    recent.make_contiguous().sort_by_key(|transmission| transmission.at_ns);
}

/// The transmissions that were in one PPDU with the first one: some recorder heard them in one, directly or through
/// others, or they are subframes of one transmitter at the same time. The first one alone if they cannot be of one PPDU.
fn members(recent: &VecDeque<Transmission>) -> Vec<usize> {
    let Some(first) = recent.front() else { return Vec::new() };
    let mut ppdus: FxHashSet<(usize, u64)> = first.ppdus().collect();
    let mut span = first.span_ns();
    let mut members = vec![0];
    let is_near = |other: &Transmission| other.at_ns.abs_diff(first.at_ns) <= PPDU_MAX_NS;
    let near = recent.iter().enumerate().skip(1).take_while(|(_, other)| first.is_subframe() && is_near(other));
    let mut others: Vec<_> = near.filter(|(_, other)| !other.is_placed && other.is_subframe()).take(OTHERS).collect();
    for _ in 0..ROUNDS {
        let before = members.len();
        others.retain(|&(at, other)| {
            let is_member = members.len() < MAX_SUBFRAMES
                && (other.ppdus().any(|ppdu| ppdus.contains(&ppdu)) || is_at_once(first, span, other));
            if is_member {
                let (begin_ns, end_ns) = other.span_ns();
                span = (span.0.min(begin_ns), span.1.max(end_ns));
                ppdus.extend(other.ppdus());
                members.push(at);
            }
            !is_member
        });
        if members.len() == before || members.len() == MAX_SUBFRAMES {
            break;
        }
    }
    members.sort_unstable();
    let subframes: Vec<&Transmission> = members.iter().filter_map(|&at| recent.get(at)).collect();
    if is_one_ppdu(&subframes) {
        members
    } else {
        vec![0]
    }
}

/// True if another frame of the transmitter of `first`, which was sending at `span`, was on the air at the same time.
fn is_at_once(first: &Transmission, span: (i64, i64), other: &Transmission) -> bool {
    let (begin_ns, end_ns) = other.span_ns();
    let together_ns = span.1.min(end_ns).saturating_sub(span.0.max(begin_ns));
    first.frame.ta.is_some() && first.frame.ta == other.frame.ta && together_ns > SAME_NS
}

/// True if no MPDU is there twice, and all readable ones are of one transmitter.
fn is_one_ppdu(subframes: &[&Transmission]) -> bool {
    let mut numbers = FxHashSet::default();
    let mut readable = subframes.iter().map(|subframe| &subframe.frame).filter(|frame| frame.is_readable());
    let ta = readable.clone().next().and_then(|frame| frame.ta);
    readable.all(|frame| frame.ta == ta && (frame.seq.is_none() || numbers.insert((frame.ra, frame.tid, frame.seq))))
}

/// The subframes in the order in which they were sent, and their frames with their times; `None` where one recorder
/// heard all of them, or one has no times.
fn places(subframes: &[&Transmission]) -> Option<(Vec<usize>, Vec<Frame>)> {
    let copies = || subframes.iter().flat_map(|subframe| &subframe.copies);
    let source = copies().next()?.source;
    let are_timed =
        subframes.iter().all(|subframe| subframe.frame.start_ns.is_some() && subframe.frame.end_ns.is_some());
    if subframes.len() < 2 || !are_timed || copies().all(|copy| copy.source == source) {
        return None;
    }
    let mut heard: FxHashMap<usize, (i64, i64)> = FxHashMap::default();
    for copy in copies() {
        let span = heard.entry(copy.source).or_insert(copy.ppdu_ns);
        *span = (span.0.min(copy.ppdu_ns.0), span.1.max(copy.ppdu_ns.1));
    }
    let begins = || heard.values().map(|span| span.0);
    let ends = || heard.values().map(|span| span.1);
    let (begin_ns, end_ns) = (begins().min()?, ends().max()?);
    // Recorders know where the PPDU began, or where it ended; the other end is as far as they heard of it.
    let begin_together = begins().max()?.saturating_sub(begin_ns) <= SAME_NS;
    let end_together = end_ns.saturating_sub(ends().min()?) <= SAME_NS;
    let is_begin_known = match begin_together == end_together {
        true => copies().any(|copy| copy.marks_begin),
        false => begin_together,
    };
    let order = order(subframes);
    let mut frames: Vec<Frame> =
        order.iter().filter_map(|&at| subframes.get(at)).map(|subframe| Frame::clone(&subframe.frame)).collect();
    frames.first_mut()?.start_ns = Some(begin_ns);
    frames.last_mut()?.end_ns = Some(end_ns);
    divide(&mut frames, is_begin_known);
    Some((order, frames))
}

/// By sequence number, unless a recorder heard them in another order; else by their times.
fn order(subframes: &[&Transmission]) -> Vec<usize> {
    let by_time: Vec<usize> = (0..subframes.len()).collect();
    let Some(first) = subframes.first().and_then(|subframe| subframe.frame.seq) else { return by_time };
    if subframes.iter().any(|subframe| subframe.frame.seq.is_none()) {
        return by_time;
    }
    let mut order = by_time.clone();
    let ahead = |seq: u32| (seq.wrapping_sub(first).wrapping_add(SEQUENCE_HALF_RANGE)) % SEQUENCE_NUMBERS;
    order.sort_by_key(|&at| subframes.get(at).and_then(|subframe| subframe.frame.seq).map(ahead));
    let mut latest: FxHashMap<usize, u64> = FxHashMap::default();
    let copies = order.iter().filter_map(|&at| subframes.get(at)).flat_map(|subframe| &subframe.copies);
    for copy in copies {
        if latest.insert(copy.source, copy.frame_no).is_some_and(|before| before > copy.frame_no) {
            return by_time;
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::ns;
    use crate::frame::{Addr, FrameKind, Phy};
    use crate::ieee80211::airtime;
    use crate::merge::transmission::Copy;

    /// Three subframes of 65 Mb/s, 1500 octets each: 36 us of preamble, and 4 us for each 260 bits.
    const ENDS_US: [f64; 3] = [224.0, 408.0, 598.0];

    fn subframe(seq: u32, start_us: f64, end_us: f64) -> Box<Frame> {
        let mut frame = Frame {
            kind: FrameKind::QosData,
            phy: Some(Phy::Ht),
            mcs: Some(7),
            rate_mbps: Some(65.0),
            channel_mhz: Some(2437),
            length_bytes: Some(1500),
            ta: Some(Addr::node(1)),
            seq: Some(seq),
            tid: Some(0),
            content: Some(seq.into()),
            ampdu_ref: Some(9),
            start_ns: Some(ns(start_us)),
            end_ns: Some(ns(end_us)),
            ..Frame::new(1, 0)
        };
        airtime::fill(&mut frame);
        Box::new(frame)
    }

    fn copy(source: usize, frame_no: u64, ppdu: u64, ppdu_us: (f64, f64), marks_begin: bool) -> Copy {
        let ppdu_ns = (ns(ppdu_us.0), ns(ppdu_us.1));
        Copy {
            source,
            frame_no,
            is_sent: false,
            is_readable: true,
            signal_dbm: None,
            at_ns: ppdu_ns.0,
            ppdu_ns,
            marks_begin,
            ppdu: Some(ppdu),
        }
    }

    fn times(recent: &VecDeque<Transmission>) -> Vec<(Option<u32>, f64, f64, Option<f64>)> {
        let us = |time: Option<i64>| time.unwrap() as f64 / 1000.0;
        let row = |t: &Transmission| (t.frame.seq, us(t.frame.start_ns), us(t.frame.end_ns), t.frame.airtime_us);
        recent.iter().map(row).collect()
    }

    #[test]
    fn recorders_that_missed_different_subframes_place_them_together() {
        let [first, second, third] = ENDS_US;
        let whole = [
            (Some(7), 0.0, first, Some(first)),
            (Some(8), first, second, Some(second - first)),
            (Some(9), second, third, Some(third - second)),
        ];
        // Both know the end, and heard as much of it: the first two, as if they were the last, and the last two.
        let (one, other) = ((third - 414.0, third), (184.0, third));
        let mut recent = VecDeque::from([
            Transmission::new(subframe(8, 184.0, 408.0), copy(1, 5, 5, other, false)),
            Transmission::new(subframe(7, 184.0, 408.0), copy(0, 3, 3, one, false)),
            Transmission::new(subframe(9, 408.0, third), copy(1, 6, 5, other, false)),
        ]);
        recent[0].add(subframe(8, 408.0, third), copy(0, 4, 3, one, false));
        complete(&mut recent, 1);
        assert_eq!(times(&recent), whole);
        assert!(recent.iter().all(|subframe| subframe.is_placed && subframe.ppdu == Some(1)));
        // Both know the begin.
        let (one, other) = ((0.0, 414.0), (0.0, 414.0));
        let mut recent = VecDeque::from([
            Transmission::new(subframe(7, 0.0, 224.0), copy(0, 3, 3, one, true)),
            Transmission::new(subframe(8, 0.0, 224.0), copy(1, 5, 5, other, true)),
            Transmission::new(subframe(9, 224.0, 414.0), copy(1, 6, 5, other, true)),
        ]);
        recent[1].add(subframe(8, 224.0, 414.0), copy(0, 4, 3, one, true));
        complete(&mut recent, 1);
        assert_eq!(times(&recent), whole);
    }

    #[test]
    fn a_subframe_that_a_recorder_heard_alone_is_of_the_ppdu_at_its_time() {
        let [first, second, third] = ENDS_US;
        let alone = |seq| subframe(seq, 374.0, third);
        let mut recent = VecDeque::from([
            Transmission::new(subframe(7, 184.0, 408.0), copy(0, 3, 3, (184.0, third), false)),
            Transmission::new(alone(8), Copy { ppdu: None, ..copy(1, 5, 0, (374.0, third), false) }),
            Transmission::new(subframe(9, 408.0, third), copy(0, 4, 3, (184.0, third), false)),
            Transmission::new(alone(10), Copy { ppdu: None, ..copy(1, 6, 0, (614.0, 838.0), false) }),
        ]);
        complete(&mut recent, 1);
        assert_eq!(
            times(&recent)[..3],
            [
                (Some(7), 0.0, first, Some(first)),
                (Some(8), first, second, Some(second - first)),
                (Some(9), second, third, Some(third - second)),
            ]
        );
        assert_eq!((recent[1].ppdu, recent[3].is_placed), (Some(1), false));
    }

    #[test]
    fn what_cannot_be_one_ppdu_is_left_alone() {
        let span = (0.0, 414.0);
        let twice = || {
            VecDeque::from([
                Transmission::new(subframe(7, 0.0, 224.0), copy(0, 3, 3, span, true)),
                Transmission::new(subframe(7, 224.0, 414.0), copy(1, 5, 5, span, true)),
            ])
        };
        let mut recent = twice();
        recent[1].copies.push(copy(0, 4, 3, span, true));
        let before = times(&recent);
        complete(&mut recent, 1);
        assert_eq!((times(&recent), recent[0].ppdu, recent[1].is_placed), (before, None, false));
        let mut strangers = twice();
        complete(&mut strangers, 1);
        assert_eq!((strangers[0].ppdu, strangers[1].is_placed), (None, false));
    }
}
