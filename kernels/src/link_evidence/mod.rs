//! What a recording shows of each link and window besides the estimates: counts, sizes and rates of its data exchanges,
//! and how busy each medium was.
//!
//! `winf_analyzer/_recommended/evidence.py` says what follows from them. Times are added up in whole nanoseconds, octets
//! as they are, so that the sums are the same whatever the order of the rows.

pub mod table;

use rustc_hash::FxHashMap;

use crate::names::Names;

/// Source, observer, sender, receiver: numbers of [`LinkEvidence`], [`crate::names::NOBODY`] is null; the channel, and the
/// start of the window, none without any time.
type Link = ([u32; 4], Option<i32>, Option<i64>);

/// Source, observer, the channel, and the start of the window.
type Medium = ([u32; 2], Option<i32>, i64);

/// Sums per link and per medium, of exchanges in any order, but that fragments follow one another.
pub struct LinkEvidence {
    window_ns: i64,
    names: Names,
    links: FxHashMap<Link, Sums>,
    media: FxHashMap<Medium, Busy>,
    before: FxHashMap<[u32; 4], Before>,
}

/// What a link sent last: the number and TID of the MSDU that its last sample carried, and whether it failed afterwards.
#[derive(Clone, Copy, Default)]
struct Before {
    carried: Option<(i32, Option<i32>)>,
    failed: bool,
}

impl Before {
    /// Whether a sample carries a further fragment of the MSDU of the sample before (10.3.2.9), and no copy of it.
    fn goes_on(&self, msdu: Option<(i32, Option<i32>)>, attempt: Option<i64>) -> bool {
        msdu.is_some() && msdu == self.carried && (attempt == Some(1) || self.failed)
    }
}

/// Numbers of exchanges, and sums over those that are samples: acknowledged, with payload.
#[derive(Clone, Default)]
struct Sums {
    attempts: i64,
    samples: i64,
    rts: i64,
    failed: i64,
    retries: i64,
    carrying: i64,
    /// Neither header nor airtime tells the rate.
    rateless: i64,
    timeless: i64,
    answers_only: i64,
    answers: i64,
    handshakes: i64,
    /// Behind a CTS-to-self.
    cts_self: i64,
    /// Those whose CTS-to-self has both times.
    own_cts: i64,
    /// Those that carry further fragments of an MSDU.
    fragments: i64,
    bits: Total,
    psdu_bits: Total,
    mpdus: Total,
    psdu_ns: Total,
    data_ns: Total,
    ack_ns: Total,
    rts_cts_ns: Total,
    cts_self_ns: Total,
    rate_max_mbps: Option<f64>,
    phy: Option<u32>,
    channel_mhz: Option<i32>,
}

/// A sum of what is known; none where nothing is.
#[derive(Clone, Copy, Default)]
struct Total(Option<i64>);

/// The exchanges of a window with a start and an end.
#[derive(Clone, Copy)]
struct Busy {
    busy_ns: i64,
    first_ns: i64,
    last_ns: i64,
}

impl Total {
    fn add(&mut self, value: Option<i64>) {
        if let Some(value) = value {
            self.0 = Some(self.0.unwrap_or(0).saturating_add(value));
        }
    }
}

impl Busy {
    fn add(&mut self, other: &Self) {
        self.busy_ns = self.busy_ns.saturating_add(other.busy_ns);
        self.first_ns = self.first_ns.min(other.first_ns);
        self.last_ns = self.last_ns.max(other.last_ns);
    }
}

impl Sums {
    /// Adds the sums of the same link on another channel.
    fn merge(&mut self, other: &Self, names: &Names) {
        self.attempts += other.attempts;
        self.samples += other.samples;
        self.rts += other.rts;
        self.failed += other.failed;
        self.retries += other.retries;
        self.carrying += other.carrying;
        self.rateless += other.rateless;
        self.timeless += other.timeless;
        self.answers_only += other.answers_only;
        self.answers += other.answers;
        self.handshakes += other.handshakes;
        self.cts_self += other.cts_self;
        self.own_cts += other.own_cts;
        self.fragments += other.fragments;
        self.bits.add(other.bits.0);
        self.psdu_bits.add(other.psdu_bits.0);
        self.mpdus.add(other.mpdus.0);
        self.psdu_ns.add(other.psdu_ns.0);
        self.data_ns.add(other.data_ns.0);
        self.ack_ns.add(other.ack_ns.0);
        self.rts_cts_ns.add(other.rts_cts_ns.0);
        self.cts_self_ns.add(other.cts_self_ns.0);
        self.rate_max_mbps = match (self.rate_max_mbps, other.rate_max_mbps) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        let text = |phy: Option<u32>| phy.map(|phy| names.text(phy));
        self.phy = if text(self.phy) < text(other.phy) { other.phy } else { self.phy };
        self.channel_mhz = self.channel_mhz.max(other.channel_mhz);
    }
}

impl LinkEvidence {
    /// Nothing was read so far; windows start at multiples of `window_ns`, which is above 0.
    #[must_use]
    pub fn new(window_ns: i64) -> Self {
        let (links, media, before) = Default::default();
        Self { window_ns, names: Names::default(), links, media, before }
    }

    fn window(&self, at_ns: i64) -> i64 {
        at_ns.div_euclid(self.window_ns).saturating_mul(self.window_ns)
    }

    fn add_busy(&mut self, medium: [u32; 2], channel_mhz: Option<i32>, start_ns: i64, end_ns: i64) {
        let busy = Busy { busy_ns: end_ns.saturating_sub(start_ns).max(0), first_ns: start_ns, last_ns: end_ns };
        let window = self.window(end_ns);
        let sum = self.media.entry((medium, channel_mhz, window)).or_insert(Busy { busy_ns: 0, ..busy });
        sum.add(&busy);
    }
}
