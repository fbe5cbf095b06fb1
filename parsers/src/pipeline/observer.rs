//! Identifies the capturing station and the frames that it sent itself.
//!
//! No sign is trusted alone. Drivers and ns-3 record a signal strength for every received frame and none for those
//! that the radio sends itself; but drivers also leave it out of subframes of a received A-MPDU. Of stations that a
//! radio receives it records a signal now and then, of its own frames never. A capturing station therefore sends nearly
//! all of its frames without a signal, is the only one to do so, and its answers are not heard. A wrong observer is
//! worse than none.

use std::collections::HashMap;

use crate::frame::{Addr, Direction, Frame, FrameKind};

/// Minimum share of frames without a signal among all frames of the observer. Also its minimum share of the frames
/// without a signal of all stations that are never heard with one.
const NEARLY_ALL: f64 = 0.9;
/// Minimum number of its frames where stations that are heard have frames without a signal, too: of a station with few
/// frames the driver may have left out the signal of each.
const MIN_OWN: u32 = 20;
/// Maximum number of transmitters in the first frames that are told apart. It bounds memory.
const TRANSMITTERS: usize = 1 << 12;

/// The capturing station, inferred from the first frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observer {
    /// Its MAC address; `None` for a sniffer that never sends.
    pub address: Option<Addr>,
    /// Frames without a signal were sent by the station itself; its driver records that of all others.
    silent_is_sent: bool,
    /// The frame before was an RTS of its own, to which a CTS is the answer, and not sent to itself.
    has_asked: bool,
}

/// What the first frames say about one transmitter.
#[derive(Clone, Copy, Debug, Default)]
struct Signs {
    /// Frames that the record itself calls sent.
    sent: u32,
    /// Frames without a signal, alone in their PPDU.
    silent: u32,
    /// Frames with a signal, and answers with a signal: those were received.
    heard: u32,
}

impl Signs {
    /// Frames that the station may have sent as the observer.
    fn own(&self) -> u32 {
        self.sent + self.silent
    }

    /// True if it has such frames, and hardly any that was received.
    fn is_never_heard(&self) -> bool {
        self.own() > 0 && f64::from(self.own()) >= NEARLY_ALL * f64::from(self.own() + self.heard)
    }
}

impl Observer {
    /// Infers the observer from the first frames of a source. If the user gave an address, it is used without a
    /// check.
    pub fn find(frames: &[Frame], given: Option<Addr>) -> Observer {
        let has_signals = frames.iter().any(|frame| frame.signal_dbm.is_some());
        if given.is_some() {
            return Observer { address: given, silent_is_sent: has_signals, has_asked: false };
        }
        let signs = signs(frames, has_signals);
        let all: u32 = signs.values().map(Signs::own).sum();
        let unheard = || signs.iter().filter(|(_, signs)| signs.is_never_heard());
        let of_unheard: u32 = unheard().map(|(_, signs)| signs.own()).sum();
        let Some((&sender, found)) = unheard().max_by_key(|(ta, signs)| (signs.own(), **ta)) else {
            return Observer::default();
        };
        let nearly_all_of = |number: u32| f64::from(found.own()) >= NEARLY_ALL * f64::from(number);
        let others_are_heard = nearly_all_of(all);
        match nearly_all_of(of_unheard) && (others_are_heard || found.own() >= MIN_OWN) {
            true => Observer {
                address: Some(sender),
                silent_is_sent: has_signals && found.silent > 0 && others_are_heard,
                has_asked: false,
            },
            false => Observer::default(),
        }
    }

    /// Fills `observer` of the next frame, and `direction` if the record does not give it.
    ///
    /// A radio sends under one address. The direction of a frame that the record calls sent becomes unknown if it
    /// has the address of another station (it may have been injected).
    pub fn apply(&mut self, frame: &mut Frame) {
        if frame.observer.is_none() {
            frame.observer = self.address;
            let is_foreign = frame.is_readable() && frame.ta.is_some_and(|ta| Some(ta) != self.address);
            frame.direction = frame.direction.filter(|direction| *direction != Direction::Tx || !is_foreign);
        }
        if frame.direction.is_none() {
            frame.direction = self.direction(frame);
        }
        self.has_asked = frame.kind == FrameKind::Rts && frame.direction == Some(Direction::Tx);
    }

    /// Sent, if the observer is the transmitter, or if a frame without a transmitter address has no signal and is
    /// not addressed to the observer, unless it is a CTS-to-self (10.3.2.13).
    fn direction(&self, frame: &Frame) -> Option<Direction> {
        let address = self.address?;
        let is_sent = match frame.ta.filter(|_| frame.is_readable()) {
            Some(ta) => ta == address,
            None => {
                let is_to_self = frame.kind == FrameKind::Cts && !self.has_asked;
                self.silent_is_sent && frame.signal_dbm.is_none() && (frame.ra != Some(address) || is_to_self)
            }
        };
        is_sent.then_some(Direction::Tx)
    }
}

fn signs(frames: &[Frame], has_signals: bool) -> HashMap<Addr, Signs> {
    let mut found: HashMap<Addr, Signs> = HashMap::new();
    let mut before: Option<&Frame> = None;
    for frame in frames.iter().filter(|frame| frame.is_readable()) {
        let shares_ppdu = before.is_some_and(|before| shares_ppdu(before, frame));
        let answering = before.and_then(|before| answering(before, frame));
        before = Some(frame);
        let Some(station) = frame.ta.map(Addr::individual).or(answering) else { continue };
        if found.len() >= TRANSMITTERS && !found.contains_key(&station) {
            continue;
        }
        let signs = found.entry(station).or_default();
        match (frame.direction, frame.signal_dbm) {
            (Some(Direction::Tx), _) => signs.sent += 1,
            (_, Some(_)) => signs.heard += 1,
            (None, None) if has_signals && frame.ta.is_some() && !shares_ppdu => signs.silent += 1,
            _ => {}
        }
    }
    found
}

/// True if both frames have the stamp of one PPDU.
fn shares_ppdu(before: &Frame, frame: &Frame) -> bool {
    frame.tsft_us.is_some_and(|tsft| tsft != 0) && before.tsft_us == frame.tsft_us && before.ta == frame.ta
}

/// The station that sends `answer`, an ACK or CTS to the frame before it.
fn answering(before: &Frame, answer: &Frame) -> Option<Addr> {
    let is_answer = matches!(answer.kind, FrameKind::Ack | FrameKind::Cts) && answer.ra.is_some();
    before.ra.filter(|ra| is_answer && !ra.is_group() && before.ta == answer.ra)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(ta: u32, signal: Option<i8>) -> Frame {
        Frame { ta: Some(Addr::node(ta)), signal_dbm: signal, ..Frame::new(1, 0) }
    }

    #[test]
    fn frames_without_a_signal_were_sent_by_the_observer() {
        let frames = [frame(1, None), frame(2, Some(-40)), frame(1, None)];
        let mut observer = Observer::find(&frames, None);
        assert_eq!(observer.address, Some(Addr::node(1)));
        let mut acknowledgment = Frame::new(4, 0);
        observer.apply(&mut acknowledgment);
        assert_eq!(acknowledgment.direction, Some(Direction::Tx));
        assert_eq!(acknowledgment.observer, Some(Addr::node(1)));
    }

    #[test]
    fn a_source_without_signals_has_no_observer() {
        assert_eq!(Observer::find(&[frame(1, None), frame(2, None)], None).address, None);
    }

    #[test]
    fn several_transmitters_give_no_observer_and_no_direction() {
        let frames = [frame(1, None), frame(2, None), frame(3, Some(-40))];
        let mut observer = Observer::find(&frames, None);
        assert_eq!(observer.address, None);
        let mut silent = frame(1, None);
        observer.apply(&mut silent);
        assert_eq!(silent.direction, None);
    }

    #[test]
    fn a_station_never_heard_is_the_observer_beside_subframes_without_a_signal() {
        let recording = |own: usize| {
            let mut frames = vec![frame(2, Some(-40)); 40];
            frames.extend(vec![frame(2, None); 30]);
            frames.extend(vec![frame(1, None); own]);
            Observer::find(&frames, None)
        };
        assert_eq!(recording(20).address, Some(Addr::node(1)));
        assert_eq!(recording(19).address, None, "the driver may have left out its signal each time");
        let mut damaged = Frame::new(4, 0);
        recording(20).apply(&mut damaged);
        assert_eq!(damaged.direction, None, "others have frames without a signal");
    }

    #[test]
    fn two_stations_never_heard_give_no_observer() {
        let mut frames = vec![frame(1, None); 30];
        frames.extend(vec![frame(2, None); 30]);
        frames.extend(vec![frame(3, Some(-40)); 30]);
        assert_eq!(Observer::find(&frames, None).address, None);
    }

    #[test]
    fn a_transmitter_that_is_heard_is_not_the_observer() {
        let mut frames = vec![frame(1, None); 8];
        frames.extend(vec![frame(1, Some(-40)); 2]);
        assert_eq!(Observer::find(&frames, None).address, None);
    }

    #[test]
    fn a_station_whose_answers_are_heard_is_not_the_observer() {
        let data = Frame { ra: Some(Addr::node(1)), kind: FrameKind::QosData, ..frame(2, Some(-40)) };
        let ack = |signal| Frame {
            ra: Some(Addr::node(2)),
            kind: FrameKind::Ack,
            signal_dbm: signal,
            direction: signal.map(|_| Direction::Rx),
            ..Frame::new(1, 0)
        };
        let recording = |signal| [frame(1, None), data.clone(), ack(signal), frame(1, None), data.clone(), ack(signal)];
        assert_eq!(Observer::find(&recording(Some(-60)), None).address, None);
        assert_eq!(Observer::find(&recording(None), None).address, Some(Addr::node(1)));
    }

    #[test]
    fn further_subframes_without_a_signal_are_no_evidence() {
        let subframe = |signal| Frame { tsft_us: Some(77), ..frame(1, signal) };
        let frames = [subframe(Some(-40)), subframe(None), subframe(None), subframe(None)];
        assert_eq!(Observer::find(&frames, None).address, None);
    }

    #[test]
    fn no_other_transmitter_sends_for_the_observer() {
        let mut observer = Observer::find(&[frame(1, None), frame(2, Some(-40))], None);
        let mut silent = frame(2, None);
        observer.apply(&mut silent);
        assert_eq!(silent.direction, None);
        let mut answer = Frame { ra: Some(Addr::node(1)), ..Frame::new(1, 0) };
        observer.apply(&mut answer);
        assert_eq!(answer.direction, None, "addressed to the observer");
    }

    #[test]
    fn a_cts_to_the_observer_is_its_own_unless_it_has_asked() {
        let mut observer = Observer::find(&[frame(1, None), frame(2, Some(-40))], None);
        let rts = Frame { kind: FrameKind::Rts, ra: Some(Addr::node(2)), ..frame(1, None) };
        let cts = Frame { kind: FrameKind::Cts, ra: Some(Addr::node(1)), ..Frame::new(4, 0) };
        let heard = Frame { signal_dbm: Some(-40), ..cts.clone() };
        let mut frames = [frame(2, Some(-40)), cts.clone(), heard, rts, cts.clone(), cts];
        frames.iter_mut().for_each(|frame| observer.apply(frame));
        let sent = frames.map(|frame| frame.direction == Some(Direction::Tx));
        assert_eq!(sent, [false, true, false, true, false, true]);
    }

    #[test]
    fn a_frame_sent_under_another_address_has_no_direction() {
        let sent = |ta| Frame { direction: Some(Direction::Tx), ..frame(ta, None) };
        let mut frames = vec![sent(1); 9];
        frames.push(sent(2));
        let mut observer = Observer::find(&frames, None);
        assert_eq!(observer.address, Some(Addr::node(1)));
        frames.iter_mut().for_each(|frame| observer.apply(frame));
        let directions: Vec<_> = frames.iter().map(|frame| frame.direction).collect();
        assert_eq!(directions[..9], [Some(Direction::Tx); 9]);
        assert_eq!(directions[9], None);
    }

    #[test]
    fn a_given_observer_is_believed() {
        let observer = Observer::find(&[frame(1, Some(-40))], Some(Addr::node(7)));
        assert_eq!(observer.address, Some(Addr::node(7)));
    }
}
