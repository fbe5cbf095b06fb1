//! Carrier sense of a station, physical and virtual, and the frame it is receiving.

use crate::units::Nanos;

use crate::index::TransmissionId;

/// A frame that a station is locked on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reception {
    /// The transmission.
    pub(crate) transmission: TransmissionId,
    /// When it began.
    began: Nanos,
    /// When its PLCP header is over.
    pub(crate) header_until: Nanos,
    /// When it is over.
    until: Nanos,
    /// Its power.
    pub(crate) power: f64,
    /// It is sent at the control rate.
    pub(crate) robust: bool,
    /// Whether nothing has corrupted it so far.
    intact: bool,
}

/// A span of time in which a frame was corrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Its start.
    pub(crate) from: Nanos,
    /// Its end.
    pub(crate) until: Nanos,
}

/// Carrier sense of one station.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carrier {
    /// Frames of others on the air that it senses.
    sensed: u32,
    /// Powers of frames of others on the air that disturb it.
    disturbing: Vec<(TransmissionId, f64)>,
    /// It is sending.
    pub(crate) sending: bool,
    /// A response of its own is due within SIFS.
    pub(crate) response_due: bool,
    /// Background transmissions (not simulated) occupy the medium.
    pub(crate) background: bool,
    /// Background transmissions corrupt what it receives.
    background_corrupts: bool,
    /// NAV: the medium is reserved until then.
    pub(crate) nav: Nanos,
    /// When it was set.
    pub(crate) nav_set_at: Nanos,
    /// When the last sensed frame began.
    pub(crate) last_start: Nanos,
    /// The frame it is receiving.
    reception: Option<Reception>,
    /// When that, or the last one, was corrupted.
    damage: Vec<Damage>,
}

impl Carrier {
    /// A station's carrier sense; `background_corrupts` as in [`crate::world::Background::corrupts`].
    pub(crate) fn new(background_corrupts: bool) -> Self {
        Self { background_corrupts, ..Self::default() }
    }

    /// Whether the medium is idle, physically and virtually.
    pub(crate) fn is_idle(&self, now: Nanos) -> bool {
        !self.response_due && self.is_idle_of_others(now)
    }

    /// Whether no other station occupies the medium, physically or virtually.
    pub(crate) fn is_idle_of_others(&self, now: Nanos) -> bool {
        self.sensed == 0 && !self.sending && !self.background && self.nav <= now
    }

    /// Whether it senses a frame of another station.
    pub(crate) fn senses_a_frame(&self) -> bool {
        self.sensed > 0
    }

    /// A frame of another station begins. It is received if the station can decode it, is not receiving another, and
    /// it survives all other frames on the air; a frame under reception is lost unless it survives this one.
    pub(crate) fn frame_starts(&mut self, now: Nanos, signal: Signal, survives: impl Fn(CaptureTest) -> bool) {
        if signal.senses {
            self.sensed += 1;
            self.last_start = now;
        }
        let goes_on = |reception: &Reception, robust: bool| {
            let robust = robust && reception.began < now;
            let left = reception.until.saturating_sub(now);
            survives(CaptureTest::UnderWay { robust, power: reception.power, other: signal.power, left })
        };
        match &mut self.reception {
            Some(reception) if goes_on(reception, reception.robust) => {}
            // Without the PLCP header the PHY indicates no frame to the MAC.
            Some(reception) if now < reception.header_until && !goes_on(reception, true) => self.reception = None,
            Some(reception) => {
                reception.intact = false;
                self.damage.push(Damage { from: now, until: signal.until });
            }
            None if signal.decodes && !self.sending => {
                let clear = self
                    .disturbing
                    .iter()
                    .all(|&(_, other)| survives(CaptureTest::Begins { power: signal.power, other }));
                let spoilt = self.background && self.background_corrupts;
                // A preamble below the noise is not even detected.
                if clear {
                    self.damage.clear();
                    if spoilt {
                        self.damage.push(Damage { from: now, until: signal.until });
                    }
                    self.reception = Some(Reception {
                        transmission: signal.transmission,
                        began: now,
                        header_until: signal.header_until,
                        until: signal.until,
                        power: signal.power,
                        robust: signal.robust,
                        intact: !spoilt,
                    });
                }
            }
            None => {}
        }
        self.disturbing.push((signal.transmission, signal.power));
    }

    /// A frame of another station ends; returns how the station received it.
    pub(crate) fn frame_ends(&mut self, transmission: TransmissionId, senses: bool) -> ReceptionOutcome {
        if senses {
            self.sensed -= 1;
        }
        if let Some(index) = self.disturbing.iter().position(|&(other, _)| other == transmission) {
            self.disturbing.swap_remove(index);
        }
        match self.reception {
            Some(reception) if reception.transmission == transmission => {
                self.reception = None;
                if reception.intact {
                    ReceptionOutcome::Decoded
                } else {
                    ReceptionOutcome::Corrupted
                }
            }
            _ => ReceptionOutcome::Missed,
        }
    }

    /// When the frame that it received last was corrupted; [`Self::give_back`] keeps the list's memory.
    pub(crate) fn take_damage(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damage)
    }

    /// Gives the list back.
    pub(crate) fn give_back(&mut self, damage: Vec<Damage>) {
        self.damage = damage;
    }

    /// Until when it receives a frame whose PLCP header is over; `None`: there is none.
    pub(crate) fn receives_until(&self, now: Nanos) -> Option<Nanos> {
        self.reception.filter(|reception| reception.header_until <= now).map(|reception| reception.until)
    }

    /// The station begins to send: a reception in progress is lost.
    pub(crate) fn starts_sending(&mut self) {
        self.sending = true;
        self.reception = None;
    }

    /// Background transmissions begin or end.
    pub(crate) fn set_background(&mut self, now: Nanos, busy: bool) {
        self.background = busy;
        if let (true, true, Some(reception)) = (busy, self.background_corrupts, &mut self.reception) {
            reception.intact = false;
            self.damage.push(Damage { from: now, until: reception.until });
        }
    }
}

/// A frame as it reaches one station.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal {
    /// The transmission.
    pub(crate) transmission: TransmissionId,
    /// The station can decode it.
    pub(crate) decodes: bool,
    /// The station senses it.
    pub(crate) senses: bool,
    /// Its power.
    pub(crate) power: f64,
    /// When its PLCP header is over.
    pub(crate) header_until: Nanos,
    /// When it is over.
    pub(crate) until: Nanos,
    /// It is sent at the control rate.
    pub(crate) robust: bool,
}

/// Two overlapping frames: does the first survive (capture effect)?
#[derive(Clone, Copy, Debug)]
pub(crate) enum CaptureTest {
    /// One is being received when the other begins; `robust`: it, or the part of it that is on the air, is sent at the
    /// control rate; `left`: until its end.
    UnderWay { robust: bool, power: f64, other: f64, left: Nanos },
    /// One begins while the other is on the air.
    Begins { power: f64, other: f64 },
}

/// How a station received a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReceptionOutcome {
    /// It was received whole.
    Decoded,
    /// Its reception began, but it was corrupted.
    Corrupted,
    /// It was not received at all.
    Missed,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(transmission: u32, power: f64) -> Signal {
        let transmission = TransmissionId(transmission);
        Signal { transmission, decodes: true, senses: true, power, header_until: 3, until: 9, robust: false }
    }

    #[test]
    fn a_frame_that_lost_its_header_is_not_noticed() {
        let mut carrier = Carrier::default();
        carrier.frame_starts(0, signal(1, 1.0), |_| false);
        carrier.frame_starts(2, signal(2, 1.0), |_| false);
        assert_eq!(carrier.frame_ends(TransmissionId(1), true), ReceptionOutcome::Missed);
        assert_eq!(carrier.frame_ends(TransmissionId(2), true), ReceptionOutcome::Missed);
    }

    #[test]
    fn overlapping_frames_are_both_lost() {
        let mut carrier = Carrier::default();
        carrier.frame_starts(0, signal(1, 1.0), |_| false);
        carrier.frame_starts(5, signal(2, 1.0), |_| false);
        assert_eq!(carrier.frame_ends(TransmissionId(1), true), ReceptionOutcome::Corrupted);
        assert_eq!(carrier.take_damage(), [Damage { from: 5, until: 9 }]);
        assert!(!carrier.is_idle(10));
        assert_eq!(carrier.frame_ends(TransmissionId(2), true), ReceptionOutcome::Missed);
        assert!(carrier.is_idle(10));
    }

    #[test]
    fn a_stronger_frame_survives() {
        let capture = |test: CaptureTest| match test {
            CaptureTest::UnderWay { power, other, .. } | CaptureTest::Begins { power, other } => power >= 10.0 * other,
        };
        let mut carrier = Carrier::default();
        carrier.frame_starts(0, signal(1, 20.0), capture);
        carrier.frame_starts(5, signal(2, 1.0), capture);
        assert_eq!(carrier.frame_ends(TransmissionId(1), true), ReceptionOutcome::Decoded);
        carrier.frame_starts(6, signal(3, 10.0), capture);
        assert_eq!(carrier.frame_ends(TransmissionId(3), true), ReceptionOutcome::Decoded);
    }

    #[test]
    fn what_is_robust_outlasts_its_equals_unless_both_begin_at_once() {
        let spread = |test: CaptureTest| matches!(test, CaptureTest::UnderWay { robust: true, .. });
        let robust = |transmission| Signal { robust: true, ..signal(transmission, 1.0) };
        let mut carrier = Carrier::default();
        carrier.frame_starts(0, robust(1), spread);
        carrier.frame_starts(1, robust(2), spread);
        assert_eq!(carrier.frame_ends(TransmissionId(1), true), ReceptionOutcome::Decoded);
        assert_eq!(carrier.frame_ends(TransmissionId(2), true), ReceptionOutcome::Missed);
        carrier.frame_starts(2, robust(3), spread);
        carrier.frame_starts(2, robust(4), spread);
        assert_eq!(carrier.frame_ends(TransmissionId(3), true), ReceptionOutcome::Missed);
        assert_eq!(carrier.frame_ends(TransmissionId(4), true), ReceptionOutcome::Missed);
    }

    #[test]
    fn a_robust_header_tells_of_a_frame_that_is_then_corrupted() {
        let spread = |test: CaptureTest| matches!(test, CaptureTest::UnderWay { robust: true, .. });
        let mut carrier = Carrier::default();
        carrier.frame_starts(0, signal(1, 1.0), spread);
        carrier.frame_starts(2, signal(2, 1.0), spread);
        assert_eq!((carrier.receives_until(2), carrier.receives_until(3)), (None, Some(9)));
        assert_eq!(carrier.frame_ends(TransmissionId(1), true), ReceptionOutcome::Corrupted);
    }

    #[test]
    fn who_sends_receives_nothing() {
        let mut carrier = Carrier::default();
        carrier.frame_starts(0, signal(1, 1.0), |_| false);
        carrier.starts_sending();
        assert_eq!(carrier.frame_ends(TransmissionId(1), true), ReceptionOutcome::Missed);
    }
}
