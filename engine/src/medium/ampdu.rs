//! The packets of a station that share a PPDU: an A-MPDU and the window of its block acknowledgement.

use crate::plan::RadioPlan;
use crate::units::{seconds_over, Nanos};
use crate::world::{subframe_bytes, Aggregation, MacParameters};

use super::carrier::Damage;
use super::job::Job;

/// A packet taken from the queue whose acknowledgement has not arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Its sequence number on its link.
    pub(crate) number: u64,
    /// Its size.
    pub(crate) bytes: u32,
    /// Attempts that failed.
    pub(crate) failures: u32,
    /// The receiver has it, acknowledged or not.
    pub(crate) delivered: bool,
    /// When it ends, from the start of the PPDU that it is sent in.
    ends: Nanos,
}

impl Mpdu {
    /// The packet of a job.
    pub(crate) fn new(job: &Job) -> Self {
        Self { number: job.number, bytes: job.bytes, failures: 0, delivered: false, ends: 0 }
    }
}

/// The unacknowledged packets of a station, in order; they are all for one receiver. Empty on links without A-MPDUs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ampdu {
    mpdus: Vec<Mpdu>,
    /// So many of them, from the first on, are in the PPDU.
    sent: usize,
    /// Octets of the PPDU: subframes with delimiters and padding, or one MPDU.
    octets: u64,
    /// Airtime of the PPDU without its overhead, where airtimes are measured.
    measured: Nanos,
    /// A BlockAckReq asks what was received of the PPDU.
    pub(crate) asks: bool,
}

/// What airtimes follow from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) radio: &'a RadioPlan,
    pub(crate) mac: &'a MacParameters,
    pub(crate) limits: Aggregation,
}

impl Ampdu {
    /// Whether there is nothing to send.
    pub(crate) fn is_empty(&self) -> bool {
        self.mpdus.is_empty()
    }

    /// How many packets are in the PPDU.
    pub(crate) fn sent(&self) -> usize {
        self.sent
    }

    /// Bytes of the packets in the PPDU.
    pub(crate) fn payload_bytes(&self) -> u32 {
        self.mpdus[..self.sent].iter().map(|mpdu| mpdu.bytes).sum()
    }

    /// Begins with one packet, which is in no PPDU yet.
    pub(crate) fn begin(&mut self, first: Mpdu) {
        self.mpdus.push(first);
    }

    /// Makes up the next PPDU: as many of the unacknowledged packets as it may hold.
    pub(crate) fn assemble(&mut self, terms: Terms) {
        (self.sent, self.octets, self.measured) = (0, 0, 0);
        while let Some(&next) = self.mpdus.get(self.sent) {
            if !self.admits(next.number, next.bytes, terms) {
                break;
            }
            self.take(next.bytes, terms);
        }
    }

    /// Whether a packet may be in the PPDU, behind those that are.
    pub(crate) fn admits(&self, number: u64, bytes: u32, terms: Terms) -> bool {
        let Some(first) = self.mpdus.first().filter(|_| self.sent > 0) else { return true };
        let octets = self.octets + subframe(bytes, terms.mac);
        number - first.number < u64::from(terms.limits.block_ack_window)
            && octets <= u64::from(terms.radio.max_ampdu_bytes)
            && airtime(octets, self.measured + measured(bytes, terms), terms) <= terms.limits.max_ampdu_ns
    }

    /// Adds a packet that the PPDU admits.
    pub(crate) fn add(&mut self, mpdu: Mpdu, terms: Terms) {
        self.mpdus.push(mpdu);
        self.take(mpdu.bytes, terms);
    }

    fn take(&mut self, bytes: u32, terms: Terms) {
        self.octets += subframe(bytes, terms.mac);
        self.measured += measured(bytes, terms);
        let ends = match terms.radio.airtimes.as_slice() {
            [] => seconds_over(8 * self.octets, u128::from(terms.radio.rate_bps)),
            _ => self.measured,
        };
        if let Some(mpdu) = self.mpdus.get_mut(self.sent) {
            mpdu.ends = terms.radio.overhead + ends;
        }
        self.sent += 1;
    }

    /// Airtime of the PPDU. One packet alone is sent without delimiter.
    pub(crate) fn airtime(&self, terms: Terms) -> Nanos {
        match self.mpdus[..self.sent] {
            [only] => terms.radio.data_airtime(terms.mac, only.bytes),
            _ => airtime(self.octets, self.measured, terms),
        }
    }

    /// The PPDU that began at `began`, and was corrupted at times, ends at its receiver: marks the packets that arrive, and hands each that is new to
    /// `deliver`. `loses` draws whether the channel loses one. Returns how many arrived, and whether the channel lost any.
    pub(crate) fn arrive(
        &mut self,
        began: Nanos,
        damage: &[Damage],
        mut loses: impl FnMut() -> bool,
        mut deliver: impl FnMut(u64),
    ) -> (usize, bool) {
        let (mut arrived, mut lost_any, mut from) = (0, false, began);
        for mpdu in &mut self.mpdus[..self.sent] {
            let until = began + mpdu.ends;
            let damaged = damage.iter().any(|damage| damage.from < until && from < damage.until);
            from = until;
            let lost = loses();
            lost_any |= lost && !damaged;
            if lost || damaged {
                continue;
            }
            arrived += 1;
            if !std::mem::replace(&mut mpdu.delivered, true) {
                deliver(mpdu.number);
            }
        }
        (arrived, lost_any)
    }

    /// The answer to the PPDU says what arrived of it: forgets that, and counts an attempt of the others. Returns packets
    /// and bytes that arrived.
    pub(crate) fn answered(&mut self) -> (u32, u32) {
        let (mut packets, mut bytes, mut place) = (0, 0, 0);
        let sent = std::mem::take(&mut self.sent);
        self.mpdus.retain_mut(|mpdu| {
            let in_ppdu = place < sent;
            place += 1;
            if in_ppdu && mpdu.delivered {
                packets += 1;
                bytes += mpdu.bytes;
                return false;
            }
            mpdu.failures += u32::from(in_ppdu);
            true
        });
        (packets, bytes)
    }

    /// Nobody answered: counts an attempt of each packet of the PPDU.
    pub(crate) fn unanswered(&mut self) {
        let sent = std::mem::take(&mut self.sent);
        self.mpdus[..sent].iter_mut().for_each(|mpdu| mpdu.failures += 1);
    }

    /// Drops packets that failed so often; hands those that never arrived to `lose`.
    pub(crate) fn give_up(&mut self, limit: u32, mut lose: impl FnMut(u64)) {
        self.mpdus.retain(|mpdu| {
            let gives_up = mpdu.failures >= limit;
            if gives_up && !mpdu.delivered {
                lose(mpdu.number);
            }
            !gives_up
        });
    }
}

/// Octets of a packet in an A-MPDU.
fn subframe(bytes: u32, mac: &MacParameters) -> u64 {
    subframe_bytes(bytes.saturating_add(mac.mac_header_bytes))
}

/// What a packet adds to a PPDU's airtime, where that is measured.
fn measured(bytes: u32, terms: Terms) -> Nanos {
    match terms.radio.airtimes.as_slice() {
        [] => 0,
        _ => terms.radio.data_airtime(terms.mac, bytes).saturating_sub(terms.radio.overhead),
    }
}

fn airtime(octets: u64, measured: Nanos, terms: Terms) -> Nanos {
    match terms.radio.airtimes.as_slice() {
        [] => terms.radio.airtime_of_octets(terms.mac, octets),
        _ => terms.radio.overhead + measured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::LinkId;
    use crate::plan::{LinkKind, Plan};
    use crate::world::{LinkSpec, NodeSpec, World};

    fn plan(rate_bps: u64, limits: Aggregation) -> (Plan, RadioPlan) {
        let nodes = vec![NodeSpec::new("a"), NodeSpec::new("b")];
        let mut world = World::new("pair", nodes, vec![LinkSpec::wireless("a", "b", rate_bps)]);
        world.mac = MacParameters { aggregation: Some(limits), mac_header_bytes: 30, ..MacParameters::dot11g() };
        let plan = Plan::new(&world).unwrap();
        let LinkKind::Radio(radio) = plan.links[LinkId(0)].kind.clone() else { panic!("a wire") };
        (plan, radio)
    }

    /// Fills a PPDU with packets of 1470 bytes; returns how many it holds, and its airtime.
    fn filled(rate_bps: u64, limits: Aggregation) -> (usize, Nanos) {
        let (plan, radio) = plan(rate_bps, limits);
        let terms = Terms { radio: &radio, mac: &plan.mac, limits };
        let mut ampdu = Ampdu::default();
        let mpdu = |number| Mpdu { number, bytes: 1470, failures: 0, delivered: false, ends: 0 };
        ampdu.begin(mpdu(0));
        ampdu.assemble(terms);
        for number in 1.. {
            if !ampdu.admits(number, 1470, terms) {
                break;
            }
            ampdu.add(mpdu(number), terms);
        }
        (ampdu.sent(), ampdu.airtime(terms))
    }

    /// 1470 + 30 octets are a subframe of 1504. At 65 Mbit/s the duration limits: 29 take 36 + 4 ceil(348950 / 260) + 6 us,
    /// and 30 more than 5.484 ms. At 300 Mbit/s 65 535 octets limit: 43. The window limits what is smaller.
    #[test]
    fn octets_duration_and_window_limit_an_a_mpdu() {
        let limits = Aggregation::default();
        assert_eq!(filled(65_000_000, limits), (29, (36 + 4 * 1343 + 6) * 1000));
        assert_eq!(filled(300_000_000, limits).0, 43);
        assert_eq!(filled(300_000_000, Aggregation { block_ack_window: 8, ..limits }).0, 8);
        assert_eq!(filled(65_000_000, Aggregation { block_ack_window: 1, ..limits }).1, (36 + 4 * 47 + 6) * 1000);
    }

    #[test]
    fn what_did_not_arrive_stays_in_order_until_it_has_failed_too_often() {
        let limits = Aggregation::default();
        let (plan, radio) = plan(65_000_000, limits);
        let terms = Terms { radio: &radio, mac: &plan.mac, limits };
        let mut ampdu = Ampdu::default();
        for number in 0..4 {
            ampdu.begin(Mpdu { number, bytes: 1000, failures: 0, delivered: false, ends: 0 });
        }
        ampdu.assemble(terms);
        let mut draws = [false, true, false, true].into_iter();
        let mut delivered = Vec::new();
        let outcome = ampdu.arrive(0, &[], || draws.next().unwrap(), |number| delivered.push(number));
        assert_eq!((outcome, delivered), ((2, true), vec![0, 2]));
        assert_eq!(ampdu.answered(), (2, 2000));
        ampdu.assemble(terms);
        // Another frame overlaps the first of the two.
        let outcome = ampdu.arrive(50, &[Damage { from: 60, until: 70 }], || false, |number| assert_eq!(number, 3));
        assert_eq!(outcome, (1, false));
        ampdu.answered();
        let mut lost = Vec::new();
        ampdu.give_up(2, |number| lost.push(number));
        assert_eq!((lost, ampdu.is_empty()), (vec![1], true));
    }
}
