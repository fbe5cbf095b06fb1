//! WCPCap in cells of one access point whose links differ in rate, beside what such a cell can carry: by adding up
//! airtimes, and by offering more and more to the MAC. Neither uses WCPCap's model.

use winf_engine::reference::allocation::allocation;
use winf_engine::request::{Choice, Request};
use winf_engine::units::SECOND;
use winf_engine::world::{FlowSpec, LinkSpec, NodeSpec, Source, World};

const DURATION_S: u64 = 120;
/// Rates start at a packet a second, and have settled then.
const SETTLED_S: u64 = 60;

/// Stations that send to one access point, one for each rate, Mbit/s; every node hears every other one.
fn cell(rates: &[u64]) -> World {
    let station = |index: usize| format!("station {index}");
    let mut nodes = vec![NodeSpec::new("ap")];
    nodes.extend((0..rates.len()).map(|index| NodeSpec::new(station(index))));
    let link = |(index, rate): (usize, &u64)| LinkSpec {
        duplex: true,
        ..LinkSpec::wireless(station(index), "ap", rate * 1_000_000)
    };
    let mut world = World::new("cell", nodes, rates.iter().enumerate().map(link).collect());
    world.duration_ns = DURATION_S * SECOND;
    world.record.bin_ns = SECOND;
    world.flows = (0..rates.len()).map(|index| FlowSpec::new(format!("{index}"), [&*station(index), "ap"])).collect();
    world
}

/// Goodputs after the start, bit/s.
fn settled(world: &World, controller: &str, seed: u64) -> Vec<f64> {
    let request = Request { world: world.clone(), controllers: vec![Choice::new(controller)], seed };
    let outcome = request.run().unwrap();
    let of = |flow: usize| {
        let bins = outcome.flow_bins.rows();
        let bins = bins.filter(|bin| bin.flow as usize == flow && bin.t_ns >= SETTLED_S * SECOND);
        bins.map(|bin| bin.throughput_bps).sum::<f64>() / (DURATION_S - SETTLED_S) as f64
    };
    (0..world.flows.len()).map(of).collect()
}

/// The rate of each of the flows, bit/s, that fills the medium with exchanges one after the other, each after DIFS and
/// a mean backoff: 802.11b with a long preamble, control frames at 1 Mbit/s, 28 octets of MAC header.
fn serial(rates: &[u64]) -> f64 {
    let exchange_us = |bytes: f64, rate: f64| 50.0 + 310.0 + 192.0 + 8.0 * (28.0 + bytes) / rate + 10.0 + 304.0;
    let both_us = |rate: &u64| exchange_us(1040.0, *rate as f64) + exchange_us(40.0, *rate as f64);
    8.0 * 1000.0 / rates.iter().map(both_us).sum::<f64>() * 1e6
}

/// The greatest rate that all flows had at once, bit/s, when their sources offered it. Backoffs run down side by side,
/// so it is more than [`serial`].
fn offered(world: &World) -> f64 {
    let delivered = |rate_bps: u64| {
        let mut world = world.clone();
        world.flows.iter_mut().for_each(|flow| flow.source = Source::Cbr { rate_bps });
        settled(&world, "new_reno", 1).iter().all(|&got| got > 0.98 * rate_bps as f64)
    };
    let (mut low, mut high) = (10_000, 8_000_000);
    while high - low > low / 50 {
        let middle = (low + high) / 2;
        if delivered(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as f64
}

/// WCPCap, and its model, within a tenth of the sum of airtimes.
#[track_caller]
fn shares_fairly(rates: &[u64], seed: u64) {
    let world = cell(rates);
    let serial = serial(rates);
    let goodputs = settled(&world, "wcp_cap", seed);
    let nearly = |got: &f64| (got / serial - 1.0).abs() < 0.1;
    assert!(goodputs.iter().all(nearly), "{rates:?}, seed {seed}: {goodputs:?} of {serial}");
    let model = allocation(&world).unwrap().unwrap().rates_bps;
    assert!(model.iter().all(nearly), "{rates:?}: {model:?} of {serial}");
}

#[test]
fn two_and_three_stations_get_the_max_min_fair_rates() {
    for rates in [&[11, 1][..], &[11, 2], &[5, 1], &[11, 1, 1], &[11, 11, 1], &[11, 11]] {
        shares_fairly(rates, 1);
    }
}

/// The slowest stations have too few packets for an epoch of ten round trips: theirs go on, and what drains a queue drains
/// it for as long.
#[test]
fn four_stations_get_the_max_min_fair_rates() {
    for seed in 1..=4 {
        shares_fairly(&[11, 5, 2, 1], seed);
    }
}

#[test]
fn the_sum_of_airtimes_is_what_the_medium_carries() {
    for rates in [&[11, 1][..], &[11, 5, 2, 1]] {
        let (serial, offered) = (serial(rates), offered(&cell(rates)));
        assert!((0.97..1.1).contains(&(offered / serial)), "{rates:?}: {offered} offered, {serial} by airtimes");
    }
}
