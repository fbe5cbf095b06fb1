//! WCP and WCPCap in the running world: Stack of S003, three flows of two hops, of which the middle one contends with
//! both others.

use winf_engine::record::Outcome;
use winf_engine::reference::allocation::allocation;
use winf_engine::request::{Choice, Request};
use winf_engine::units::SECOND;
use winf_engine::world::World;

const STACK: &str = r#"
duration_ns = 40_000_000_000
record.bin_ns = 1_000_000_000
nodes = [
    { name = "1" }, { name = "2" }, { name = "3" },
    { name = "4" }, { name = "5" }, { name = "6" },
    { name = "7" }, { name = "8" }, { name = "9" },
]
links = [
    { from = "1", to = "2", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "2", to = "3", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "4", to = "5", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "5", to = "6", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "7", to = "8", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "8", to = "9", duplex = true, medium.wireless = {}, queue.packets = 64 },
]
flows = [
    { name = "1-3", path = ["1", "2", "3"], payload_bytes = 512 },
    { name = "4-6", path = ["4", "5", "6"], payload_bytes = 512 },
    { name = "7-9", path = ["7", "8", "9"], payload_bytes = 512 },
]

[mac]
preset = "802.11b"
rts_threshold_bytes = 0

[hearing.graph]
symmetric = true
decodes = [
    ["1", "2"], ["2", "3"], ["4", "5"], ["5", "6"], ["7", "8"], ["8", "9"],
    ["1", "4"], ["2", "5"], ["3", "6"], ["4", "7"], ["5", "8"], ["6", "9"],
]
"#;

/// Seconds until rates have settled.
const WARM_UP: usize = 10;

fn stack() -> World {
    World::from_toml(STACK).unwrap()
}

fn run(controller: &str) -> Outcome {
    Request { world: stack(), controllers: vec![Choice::new(controller)], seed: 3 }.run().unwrap()
}

/// Goodputs of the flows once rates have settled, bit/s.
fn settled(outcome: &Outcome) -> Vec<f64> {
    let of = |flow: u32| {
        let bins = outcome.flow_bins.rows().filter(|bin| bin.flow == flow && bin.t_ns >= WARM_UP as u64 * SECOND);
        let rates: Vec<_> = bins.map(|bin| bin.throughput_bps).collect();
        rates.iter().sum::<f64>() / rates.len() as f64
    };
    (0..3).map(of).collect()
}

#[test]
fn tcp_starves_the_middle_flow() {
    let rates = settled(&run("new_reno"));
    assert!(rates[1] < 0.25 * rates[0].min(rates[2]), "{rates:?}");
}

#[test]
fn wcp_shares_the_medium() {
    let rates = settled(&run("wcp"));
    let (least, most) = (rates[0].min(rates[1]).min(rates[2]), rates[0].max(rates[1]).max(rates[2]));
    assert!(least > 0.85 * most, "{rates:?}");
    assert!(least > 100e3, "{rates:?}");
}

#[test]
fn wcp_cap_gives_nearly_the_max_min_fair_rates() {
    let optimum = allocation(&stack()).unwrap().unwrap();
    let rates = settled(&run("wcp_cap"));
    for (rate, best) in rates.iter().zip(&optimum) {
        assert!((0.85..1.15).contains(&(rate / best)), "{rates:?} of {optimum:?}");
    }
}
