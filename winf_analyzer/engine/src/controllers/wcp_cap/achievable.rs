//! Which link rates 802.11 can carry: collision and idle probabilities of pairs of links, combined.
//!
//! S003 sec. III-B takes the region from A. Jindal and K. Psounis, "The achievable rate region of 802.11-scheduled
//! multihop networks", which classifies two links by who hears whom: coordinated stations, near hidden edges,
//! asymmetric topology, far hidden edges. Their closed forms are not in S003; those here are derived for DCF:
//!
//! - a failure of link `e = (T, R)` is the overlap with a link `f` that its class leaves possible;
//! - the backoff of `T` stretches by the share of time in which it senses the medium idle; interferers that cannot
//!   send at once add up, those that can are independent;
//! - a rate vector is achievable at utilisation `U` if at every transmitter the sum of `lambda E[S]` is at most `U`.
//!
//! Both probabilities are found together by damped iteration. Against an event simulation the greatest equal rates of
//! two links come out 3 to 23 % too low; collisions of near hidden edges are underestimated at low load.

use std::ops::Range;

use crate::controller::MacSetup;
use crate::packet::NodeId;

/// Greatest collision probability and least idle probability the iteration may reach.
const GREATEST_COLLISION: f64 = 0.9999;
const LEAST_IDLE: f64 = 1e-4;
/// Least share of time a transmitter is taken to have left.
const LEAST_FREE: f64 = 1e-6;
const DAMPING: f64 = 0.5;
const MOST_ITERATIONS: usize = 300;

/// A link and what it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Transmitter.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Size of its packets at the MAC, bytes.
    pub packet_bytes: f64,
    /// Probability that the channel corrupts an attempt.
    pub loss: f64,
}

/// How one link's transmissions meet those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// Neither disturbs the other's reception.
    Apart,
    /// Same transmitter.
    Same,
    /// Both hear each other's start: they only collide in the same slot.
    Coordinated,
    /// `T` does not hear the other transmitter, but the other receiver's CTS.
    NearHidden,
    /// `T` hears nothing of a link that `R` hears.
    Asymmetric,
    /// Only `R` and the other receiver hear each other.
    FarHidden,
}

/// Durations of a link's exchange, seconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// Successful exchange with its DIFS.
    success: f64,
    /// Failed attempt with its timeout and DIFS.
    failure: f64,
    /// The first frame: RTS, or data.
    first: f64,
    /// What the receiver's side lets others hear: CTS to ACK, or the ACK; with DIFS.
    tail: f64,
}

/// The links of one neighbourhood with everything about them that does not depend on rates.
#[derive(Clone, Debug)]
pub struct Region {
    mac: MacSetup,
    loads: Vec<Load>,
    times: Vec<Times>,
    meetings: Vec<Vec<Meeting>>,
    /// Per link, groups of links whose transmissions its transmitter hears and which exclude one another; with
    /// whether it hears their transmitter, or their receiver only.
    heard: Vec<Vec<Vec<(usize, bool)>>>,
    same_transmitter: Vec<Vec<usize>>,
}

/// Where the iteration stands.
#[derive(Clone, Debug)]
struct Point {
    collision: Vec<f64>,
    idle: Vec<f64>,
    /// Attempts/s of the last step.
    attempts: Vec<f64>,
}

/// The fixed point at given rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Probability that an attempt collides, per link.
    pub collision: Vec<f64>,
    /// Probability that the transmitter senses the medium idle, per link.
    pub idle: Vec<f64>,
    /// Mean service time of a packet, seconds, per link.
    pub service_s: Vec<f64>,
    /// Share of time the transmitter of each link is in service, all of its links together.
    pub utilization: Vec<f64>,
}

impl Solution {
    /// The utilisation of the busiest transmitter.
    #[must_use]
    pub fn busiest(&self) -> f64 {
        self.utilization.iter().fold(0.0, |most, &share| most.max(share))
    }
}

impl Region {
    /// `hearing[a]`: whose frames `a` decodes.
    #[must_use]
    pub fn new(mac: MacSetup, hearing: &[Vec<NodeId>], loads: Vec<Load>) -> Self {
        let hears = |a: NodeId, b: NodeId| a == b || hearing.get(a.0 as usize).is_some_and(|list| list.contains(&b));
        let count = loads.len();
        let times = loads.iter().map(|load| times(&mac, load.packet_bytes)).collect();
        let pairs = |of: &dyn Fn(&Load, &Load) -> Meeting| -> Vec<Vec<Meeting>> {
            loads.iter().map(|e| loads.iter().map(|f| of(e, f)).collect()).collect()
        };
        let meetings = pairs(&|e, f| meeting(&hears, e, f));
        let conflict = |f: usize, g: usize| {
            let (f, g) = (&loads[f], &loads[g]);
            f.from == g.from || hears(f.from, g.from) || hears(f.from, g.to) || hears(f.to, g.from)
        };
        let heard = (0..count)
            .map(|e| {
                let mut groups: Vec<Vec<(usize, bool)>> = Vec::new();
                for f in (0..count).filter(|&f| loads[f].from != loads[e].from) {
                    let hears_transmitter = hears(loads[e].from, loads[f].from);
                    if !hears_transmitter && !hears(loads[e].from, loads[f].to) {
                        continue;
                    }
                    match groups.iter_mut().find(|group| group.iter().all(|&(k, _)| conflict(f, k))) {
                        Some(group) => group.push((f, hears_transmitter)),
                        None => groups.push(vec![(f, hears_transmitter)]),
                    }
                }
                groups
            })
            .collect();
        let same = |e: usize| (0..count).filter(|&f| loads[f].from == loads[e].from).collect();
        let same_transmitter = (0..count).map(same).collect();
        Self { mac, times, meetings, heard, same_transmitter, loads }
    }

    /// Collision and idle probabilities, service times and utilisations at `rates`, packets/s per link.
    ///
    /// Stops when nothing moves by `tolerance`, or after `iterations`.
    #[must_use]
    pub fn solve(&self, rates: &[f64], tolerance: f64, iterations: usize) -> Solution {
        let mut point = self.unloaded();
        self.settle(rates, &mut point, tolerance, iterations, f64::INFINITY);
        let service_s: Vec<_> = self.all().map(|e| self.service_time(e, point.collision[e], point.idle[e])).collect();
        let utilization =
            self.all().map(|e| self.same_transmitter[e].iter().map(|&f| rates[f] * service_s[f]).sum()).collect();
        Solution { collision: point.collision, idle: point.idle, service_s, utilization }
    }

    /// The greatest `x` for which `base + x step` is achievable at `utilization`, by bisection; where even the least
    /// rates are not, the `x` at which the first of them is zero. Rates are not taken below zero.
    #[must_use]
    pub fn greatest(&self, base: &[f64], step: &[f64], utilization: f64) -> f64 {
        let moving = || self.all().filter(|&e| step[e] > 0.0);
        let low = moving().map(|e| -base[e] / step[e]).fold(f64::INFINITY, f64::min);
        let alone = |e: usize| utilization / self.service_time(e, 0.0, 1.0);
        let high = moving().map(|e| (alone(e) - base[e]) / step[e]).fold(f64::INFINITY, f64::min);
        if !low.is_finite() || high <= low {
            return if low.is_finite() { low } else { 0.0 };
        }
        self.bisect(base, step, (low, high), utilization, 16, 1e-5)
    }

    fn bisect(
        &self,
        base: &[f64],
        step: &[f64],
        (mut low, mut high): (f64, f64),
        utilization: f64,
        halvings: usize,
        tolerance: f64,
    ) -> f64 {
        let mut achieved = self.unloaded();
        for _ in 0..halvings {
            let x = (low + high) / 2.0;
            let rates: Vec<_> = base.iter().zip(step).map(|(base, step)| (base + x * step).max(0.0)).collect();
            // Service times only grow with rates: the point of lesser rates is on the way.
            let mut point = achieved.clone();
            if self.settle(&rates, &mut point, tolerance, MOST_ITERATIONS, utilization) {
                (low, achieved) = (x, point);
            } else {
                high = x;
            }
        }
        low
    }

    /// Moves a point to the fixed point at `rates`; gives up as soon as a transmitter is busy for more than `most`.
    fn settle(&self, rates: &[f64], point: &mut Point, tolerance: f64, iterations: usize, most: f64) -> bool {
        for _ in 0..iterations {
            if self.busiest(rates, point) > most {
                return false;
            }
            if self.step(rates, point) < tolerance {
                break;
            }
        }
        self.busiest(rates, point) <= most
    }

    /// The utilisation of the busiest transmitter.
    fn busiest(&self, rates: &[f64], point: &Point) -> f64 {
        let share = |&f: &usize| rates[f] * self.service_time(f, point.collision[f], point.idle[f]);
        let first = |&e: &usize| self.same_transmitter[e].first() == Some(&e);
        let shares = self.all().filter(first).map(|e| self.same_transmitter[e].iter().map(share).sum());
        shares.fold(0.0, f64::max)
    }

    fn all(&self) -> Range<usize> {
        0..self.loads.len()
    }

    /// Where the iteration starts: nobody disturbs anybody.
    fn unloaded(&self) -> Point {
        let count = self.loads.len();
        Point { collision: vec![0.0; count], idle: vec![1.0; count], attempts: vec![0.0; count] }
    }

    /// Mean time from head of line to success or the last retry, `E[S]`.
    fn service_time(&self, e: usize, collision: f64, idle: f64) -> f64 {
        let failure = self.failure(e, collision);
        let attempt = (1.0 - collision) * self.times[e].success + collision * self.times[e].failure;
        let mut reached = 1.0;
        let mut total = 0.0;
        for stage in 0..=self.mac.retries {
            let window = f64::from(self.mac.cw_min + 1) * f64::from(1u32 << stage.min(self.mac.backoff_stages).min(20));
            total += reached * ((window - 1.0) / 2.0 * self.mac.slot_s / idle + attempt);
            reached *= failure;
        }
        total
    }

    /// Probability that an attempt fails, by collision or by the channel.
    fn failure(&self, e: usize, collision: f64) -> f64 {
        1.0 - (1.0 - collision) * (1.0 - self.loads[e].loss)
    }

    /// Attempts per packet.
    fn attempts(&self, e: usize, collision: f64) -> f64 {
        let failure = self.failure(e, collision);
        let mut reached = 1.0;
        let mut sum = 0.0;
        for _ in 0..=self.mac.retries {
            sum += reached;
            reached *= failure;
        }
        sum
    }

    /// One damped step towards the fixed point; says by how much the probabilities of a link would have moved at most.
    fn step(&self, rates: &[f64], point: &mut Point) -> f64 {
        let difs = self.mac.difs_s;
        let Point { collision, idle, attempts } = point;
        for e in self.all() {
            attempts[e] = rates[e] * self.attempts(e, collision[e]);
        }
        let before = collision.clone();
        let success = |f: usize| attempts[f] * (1.0 - before[f]);
        let failed = |f: usize| attempts[f] * before[f];
        let mut moved = 0.0_f64;
        for e in self.all() {
            let (mut whole, mut failures) = (0.0, 0.0);
            for &f in &self.same_transmitter[e] {
                whole += success(f) * self.times[f].success;
                failures += failed(f) * self.times[f].failure;
            }
            let free = (1.0 - whole - failures).max(LEAST_FREE);
            let busy = |&(f, hears_transmitter): &(usize, bool)| {
                if hears_transmitter {
                    success(f) * self.times[f].success + failed(f) * (self.times[f].first + difs)
                } else {
                    success(f) * self.times[f].tail
                }
            };
            let left = |group: &Vec<(usize, bool)>| (1.0 - group.iter().map(busy).sum::<f64>() / free).max(0.0);
            let next_idle = self.heard[e].iter().map(left).product::<f64>().max(LEAST_IDLE);
            let idle_time = (next_idle * free).max(LEAST_IDLE);
            let in_service = (1.0 - whole).max(LEAST_FREE);
            let next = self.collision(e, attempts, &before, idle_time, in_service).min(GREATEST_COLLISION);
            moved = moved.max((next - before[e]).abs() + (next_idle - idle[e]).abs());
            collision[e] += DAMPING * (next - before[e]);
            idle[e] += DAMPING * (next_idle - idle[e]);
        }
        moved
    }

    /// One minus the product of the survivals of all meetings; hidden links of one transmitter (or receiver) exclude
    /// one another, so that their shares of time add up.
    fn collision(&self, e: usize, attempts: &[f64], collision: &[f64], idle_time: f64, in_service: f64) -> f64 {
        let mut survival = 1.0;
        let mut hidden: Vec<((NodeId, bool), f64)> = Vec::new();
        for f in 0..self.loads.len() {
            let success = attempts[f] * (1.0 - collision[f]);
            let (first, other) = (self.times[e].first, &self.times[f]);
            let (key, share) = match self.meetings[e][f] {
                Meeting::Apart | Meeting::Same => continue,
                Meeting::Coordinated => {
                    survival *= 1.0 - (attempts[f] * self.mac.slot_s / idle_time).min(1.0);
                    continue;
                }
                Meeting::NearHidden => {
                    survival *= libm::exp(-attempts[f] * (first + other.first + self.mac.sifs_s) / idle_time);
                    continue;
                }
                Meeting::Asymmetric => {
                    let failed = attempts[f] * collision[f];
                    let share =
                        success * (other.success - self.mac.difs_s) + failed * other.first + attempts[f] * first;
                    ((self.loads[f].from, true), share)
                }
                Meeting::FarHidden => {
                    ((self.loads[f].to, false), success * (other.tail - self.mac.difs_s) + success * first)
                }
            };
            match hidden.iter_mut().find(|(known, _)| *known == key) {
                Some((_, sum)) => *sum += share,
                None => hidden.push((key, share)),
            }
        }
        let unhindered = |&(_, share): &(_, f64)| 1.0 - (share / in_service).min(1.0);
        1.0 - survival * hidden.iter().map(unhindered).product::<f64>()
    }
}

/// The class of `f` as link `e` meets it.
fn meeting(hears: &impl Fn(NodeId, NodeId) -> bool, e: &Load, f: &Load) -> Meeting {
    let (transmitter, receiver) = (e.from, e.to);
    if f.from == transmitter {
        Meeting::Same
    } else if hears(transmitter, f.from) {
        // Deaf to the other transmitter, the receiver is not disturbed by it.
        if hears(receiver, f.from) {
            Meeting::Coordinated
        } else {
            Meeting::Apart
        }
    } else if hears(receiver, f.from) {
        if hears(transmitter, f.to) {
            Meeting::NearHidden
        } else {
            Meeting::Asymmetric
        }
    } else if hears(receiver, f.to) {
        Meeting::FarHidden
    } else {
        Meeting::Apart
    }
}

fn times(mac: &MacSetup, packet_bytes: f64) -> Times {
    let data = mac.data_overhead_s + 8.0 * packet_bytes / mac.data_rate_bps;
    if packet_bytes >= f64::from(mac.rts_threshold_bytes) {
        let tail = mac.cts_s + mac.sifs_s + data + mac.sifs_s + mac.ack_s + mac.difs_s;
        Times {
            success: mac.rts_s + mac.sifs_s + tail,
            failure: mac.rts_s + mac.sifs_s + mac.cts_s + mac.slot_s + mac.difs_s,
            first: mac.rts_s,
            tail,
        }
    } else {
        let success = data + mac.sifs_s + mac.ack_s + mac.difs_s;
        Times { success, failure: success + mac.slot_s, first: data, tail: mac.ack_s + mac.difs_s }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::controllers::wcp::neighbourhood::tests::stack_hearing;

    /// 802.11b, long preamble, 11 and 1 Mb/s, 28 B of MAC header; `rts_threshold_bytes` as asked.
    pub(crate) fn mac(rts_threshold_bytes: u32) -> MacSetup {
        MacSetup {
            slot_s: 20e-6,
            sifs_s: 10e-6,
            difs_s: 50e-6,
            rts_s: 352e-6,
            cts_s: 304e-6,
            ack_s: 304e-6,
            data_overhead_s: 192e-6 + 8.0 * 28.0 / 11e6,
            data_rate_bps: 11e6,
            cw_min: 31,
            backoff_stages: 5,
            retries: 6,
            rts_threshold_bytes,
        }
    }

    fn load(from: u32, to: u32, packet_bytes: f64) -> Load {
        Load { from: NodeId(from), to: NodeId(to), packet_bytes, loss: 0.0 }
    }

    /// Links 0 -> 1 and 2 -> 3; `edges`: who else hears each other.
    fn two_links(edges: &[(usize, u32)]) -> Region {
        let mut hearing = vec![Vec::new(); 4];
        for &(a, b) in [(0, 1), (2, 3)].iter().chain(edges) {
            hearing[a].push(NodeId(b));
            hearing[b as usize].push(NodeId(a as u32));
        }
        Region::new(mac(0), &hearing, vec![load(0, 1, 512.0), load(2, 3, 512.0)])
    }

    /// The greatest rate of both links, kb/s of 512 B packets.
    fn greatest_kbps(region: &Region) -> f64 {
        region.bisect(&[0.0; 2], &[1.0; 2], (0.0, 2000.0), 1.0, 60, 1e-10) * 4.096
    }

    #[track_caller]
    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected} within {tolerance}");
    }

    #[test]
    fn v_q2_service_times() {
        let region = Region::new(mac(0), &[vec![NodeId(1)], vec![NodeId(0)]], vec![load(0, 1, 512.0)]);
        assert_near(region.service_time(0, 0.0, 1.0) * 1e6, 1934.727, 1e-3);
        assert_near(region.service_time(0, 0.0, 0.5) * 1e6, 2244.727, 1e-3);
        assert_near(region.service_time(0, 0.2, 0.5) * 1e6, 2847.313, 1e-3);
        let long = Region::new(mac(0), &[vec![NodeId(1)], vec![NodeId(0)]], vec![load(0, 1, 1500.0)]);
        assert_near(long.service_time(0, 0.3, 0.4) * 1e6, 4547.764, 1e-3);
        assert_near(region.bisect(&[0.0], &[1.0], (0.0, 2000.0), 1.0, 60, 1e-10), 516.8687, 1e-3);
    }

    #[test]
    fn v_q3_two_links_of_every_class() {
        // Collision probabilities of both, idle probabilities of both, E[S] of the first, greatest equal rate.
        type Edges = &'static [(usize, u32)];
        let rows: [(Edges, [f64; 6]); 6] = [
            (&[(0, 2), (0, 3), (1, 2), (1, 3)], [0.00297, 0.00297, 0.80582, 0.80582, 2013.96, 1114.37]),
            (&[(0, 2)], [0.0, 0.0, 0.80601, 0.80601, 2009.34, 1150.74]),
            (&[(1, 2), (0, 3)], [0.10767, 0.10767, 0.84762, 0.84762, 2181.43, 727.29]),
            (&[(1, 2)], [0.23005, 0.0, 1.0, 0.84924, 2420.17, 797.90]),
            (&[(1, 3)], [0.18683, 0.18683, 1.0, 1.0, 2291.45, 886.61]),
            (&[], [0.0, 0.0, 1.0, 1.0, 1934.73, 2117.09]),
        ];
        for (edges, [p_e, p_f, idle_e, idle_f, service_us, greatest]) in rows {
            let region = two_links(edges);
            let solution = region.solve(&[100.0; 2], 1e-10, 300);
            assert_near(solution.collision[0], p_e, 6e-6);
            assert_near(solution.collision[1], p_f, 6e-6);
            assert_near(solution.idle[0], idle_e, 6e-6);
            assert_near(solution.idle[1], idle_f, 6e-6);
            assert_near(solution.service_s[0] * 1e6, service_us, 6e-3);
            assert_near(greatest_kbps(&region), greatest, 6e-3);
        }
    }

    #[test]
    fn v_q4_orderings_of_the_classes() {
        let coordinated = greatest_kbps(&two_links(&[(0, 2), (0, 3), (1, 2), (1, 3)]));
        let independent = greatest_kbps(&two_links(&[]));
        assert!(independent > coordinated);
        for hidden in [&[(1, 2), (0, 3)][..], &[(1, 2)], &[(1, 3)]] {
            assert!(coordinated > greatest_kbps(&two_links(hidden)));
        }
    }

    #[test]
    fn v_q5_the_stack() {
        let forward = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)];
        let greatest = |loads: Vec<Load>, threshold: u32| {
            let count = loads.len();
            let region = Region::new(mac(threshold), &stack_hearing(), loads);
            region.bisect(&vec![0.0; count], &vec![1.0; count], (0.0, 2000.0), 1.0, 60, 1e-10) * 4.096
        };
        let data = |bytes: f64| forward.iter().map(|&(a, b)| load(a, b, bytes)).collect::<Vec<_>>();
        let with_acks = || forward.iter().flat_map(|&(a, b)| [load(a, b, 552.0), load(b, a, 60.0)]).collect::<Vec<_>>();
        assert_near(greatest(data(552.0), 0), 477.94, 6e-3);
        assert_near(greatest(data(512.0), 0), 484.26, 6e-3);
        assert_near(greatest(with_acks(), 0), 220.98, 6e-3);
        assert_near(greatest(with_acks(), 100), 270.40, 6e-3);
    }
}
