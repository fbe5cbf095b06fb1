//! Max-min fair goodputs of a world's flows by the model of WCPCap: world in, bit/s out, both JSON.
//!
//! `cargo run --release -p winf-engine --example max_min < world.json`

use std::io::{stdin, stdout};

use winf_engine::reference::max_min::of_world;
use winf_engine::world::World;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world: World = serde_json::from_reader(stdin().lock())?;
    serde_json::to_writer(stdout().lock(), &of_world(&world)?)?;
    Ok(())
}
