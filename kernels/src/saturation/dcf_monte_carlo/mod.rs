//! A Monte-Carlo simulation of DCF for what the fixed point leaves out.
//!
//! The fixed point assumes that stations are independent and all in range of one another. Here packets that arrive during
//! a long aggregate contend together, and stations that the subject cannot hear do not defer to it. DCF is simulated with
//! the same parameters, one exchange at a time, towards one receiver that all stations hear:
//!
//! * A backoff counter freezes while its station hears another, and resumes AIFS after. It is drawn from [0, CW] after
//!   every attempt, and for a packet that finds the medium busy, whichever frame of an exchange is on the air; a packet
//!   that finds it idle is sent at once. Times between packets are exponential, or more even (Erlang), or packets come
//!   in bursts: at random while a source is on, and not at all while it is off, both for exponential times.
//! * Attempts of stations in range of one another that start in the same slot collide in their first frame (RTS, or the
//!   data); a collision destroys each with a probability of its own.
//! * The receiver locks on the frame that came first. A frame that starts later, at a station that did not hear it, is
//!   lost, or survives with a probability of its station's, as one to another receiver may; the first survives it with one
//!   probability as RTS, or as data without RTS, and with another as data after CTS.
//!   Of an aggregate the MPDUs that overlap it are lost, and the others are acknowledged, if there are any.
//! * What follows the first frame, CTS or ACK, is heard by every station that is not transmitting or receiving.
//! * CW doubles with each failure, up to CWmax of the access category. A packet is discarded after seven first frames in
//!   a row without response, after four failures behind a CTS (10.23.2.12), or at the end of its lifetime. Under a
//!   BlockAck agreement only the last may end it, with CW as large as it was (`persistent`): implementations differ. An
//!   aggregate without response is followed by a BlockAckReq, whose answer ends the row of failures; a single frame is
//!   retransmitted (10.25.6).
//! * In a TXOP the packets that came meanwhile follow SIFS after the answer, as many as its limit leaves time for (10.23.2.8).
//!
//! Time is in seconds. The same stations and seed give the same result.
//!
//! Why not [`winf_engine`]'s medium: that one simulates every frame at every station, with powers in place of
//! probabilities of destruction and without aggregates, and takes 5 to 25 times as long per attempt.

mod medium;
mod station;
pub mod table;

use medium::Medium;

/// Attempts of all stations together after which a simulation ends, unless there are many stations.
const LENGTH: usize = 60_000;

/// Attempts times stations after which it ends: each attempt visits every station.
const WORK: usize = 600_000;

/// Fewest attempts, whatever [`WORK`] allows.
const LENGTH_MIN: usize = 2_500;

/// A station to simulate; times in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    /// The station about which is asked: the ones hidden are hidden from it.
    pub subject: bool,
    /// It and the subject do not hear one another. Hidden stations hear one another.
    pub hidden: bool,
    /// Its first frame is an RTS.
    pub rts: bool,
    /// Its queue never runs empty.
    pub backlogged: bool,
    /// Otherwise packets per second that arrive at it.
    pub packets_per_s: f64,
    /// Variance of the times between them over their squared mean: 1 of a Poisson process, 0 of equal intervals.
    pub variation: f64,
    /// Mean time for which packets come, and for which none do; `pause_s` is 0 where they come all the time.
    pub burst_s: f64,
    /// See `burst_s`.
    pub pause_s: f64,
    /// Most packets per access.
    pub packets_max: f64,
    /// Fixed part of an exchange, AIFS included.
    pub access_s: f64,
    /// Added by every packet.
    pub packet_s: f64,
    /// Fixed part of a failed first frame, the wait for its response and AIFS included.
    pub first_s: f64,
    /// Added by every packet.
    pub first_packet_s: f64,
    /// The part of both after the frame that is answered: SIFS, the response and AIFS.
    pub tail_s: f64,
    /// Short interframe space.
    pub sifs_s: f64,
    /// Longest TXOP; 0: one exchange per access.
    pub txop_s: f64,
    /// Arbitration interframe space.
    pub aifs_s: f64,
    /// The exchange of the BlockAckReq that follows an aggregate without response; None: there is none.
    pub request_s: Option<f64>,
    /// Probability that the channel loses an attempt that nothing collides with.
    pub loss: f64,
    /// Probability that it loses an RTS.
    pub rts_loss: f64,
    /// Probability that a collision destroys its frame.
    pub vulnerable: f64,
    /// Packets under a BlockAck agreement are not given up at the retry limits, and CW stays as large as it was.
    pub persistent: bool,
    /// CWmin+1.
    pub window: f64,
    /// Slot time.
    pub slot_s: f64,
    /// Probability that its first frame is destroyed by a frame of a hidden station that starts later.
    pub first_destroyed: f64,
    /// The same of the data after a CTS.
    pub answered_destroyed: f64,
    /// Probability that a frame of its own is destroyed which it begins during one of a hidden station.
    pub late_destroyed: f64,
}

impl Station {
    /// All of it, to the bit. Every field is named here, so that none is forgotten.
    fn bits(&self) -> (u64, [u64; 22]) {
        let Self {
            subject,
            hidden,
            rts,
            backlogged,
            packets_per_s,
            variation,
            burst_s,
            pause_s,
            packets_max,
            access_s,
            packet_s,
            first_s,
            first_packet_s,
            tail_s,
            sifs_s,
            txop_s,
            aifs_s,
            request_s,
            loss,
            rts_loss,
            vulnerable,
            persistent,
            window,
            slot_s,
            first_destroyed,
            answered_destroyed,
            late_destroyed,
        } = *self;
        let flags = [subject, hidden, rts, backlogged, persistent, request_s.is_some()];
        let flags = flags.into_iter().fold(0, |bits, flag| bits << 1 | u64::from(flag));
        let numbers = [
            packets_per_s,
            variation,
            burst_s,
            pause_s,
            packets_max,
            access_s,
            packet_s,
            first_s,
            first_packet_s,
            tail_s,
            sifs_s,
            txop_s,
            aifs_s,
            request_s.unwrap_or_default(),
            loss,
            rts_loss,
            vulnerable,
            window,
            slot_s,
            first_destroyed,
            answered_destroyed,
            late_destroyed,
        ];
        (flags, numbers.map(f64::to_bits))
    }

    fn hears(&self, other: &Self) -> bool {
        !(self.subject && other.hidden || self.hidden && other.subject)
    }
}

/// The result of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Packets delivered per second.
    pub delivered_per_s: f64,
    /// Attempts per second to get the medium, those of BlockAckReq apart.
    pub attempts_per_s: f64,
    /// Exchanges that succeeded per second, of which a TXOP may hold several.
    pub exchanges_per_s: f64,
    /// Share of its attempts whose first frame had no response.
    pub first_failed: f64,
    /// Share of its answered attempts that failed afterwards.
    pub answered_failed: f64,
    /// Share of its attempts that are the first of a packet, waited for an exchange of the subject, and follow it as it
    /// followed an exchange of another station that it had waited for.
    pub behind: f64,
    /// Idle slots before such an attempt and before that exchange of the subject, together, on the average.
    pub behind_slots: f64,
}

/// Simulates stations that contend; returns the result of each, in their order.
#[must_use]
pub fn simulate(stations: &[Station], seed: u64) -> Vec<Outcome> {
    let mut medium = Medium::new(stations, seed);
    let length = (WORK / stations.len().max(1)).clamp(LENGTH_MIN, LENGTH);
    let mut now = 0.0;
    for _ in 0..length {
        let start = medium.until_next_start();
        if !start.is_finite() {
            break;
        }
        now = start;
        medium.begin(now);
    }
    medium.stations.iter().map(|station| station.outcome(now)).collect()
}

#[cfg(test)]
mod tests;
