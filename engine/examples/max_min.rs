//! Max-min fair goodputs of a world's flows by the model of WCPCap: world in, bit/s out, both JSON; null where the
//! model does not hold.
//!
//! `cargo run --release -p winf-engine --example max_min < world.json`

use std::io::{stdin, stdout};

use winf_engine::reference::allocation::allocation;
use winf_engine::world::World;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world: World = serde_json::from_reader(stdin().lock())?;
    serde_json::to_writer(stdout().lock(), &allocation(&world)?.map(|found| found.rates_bps))?;
    Ok(())
}
