//! Runs a request from standard input, JSON, and writes what the run leaves behind to standard output, JSON.
//!
//! `cargo run --release -p winf-engine --example run < request.json > outcome.json`

use std::io::{stdin, stdout};

use winf_engine::request::Request;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request: Request = serde_json::from_reader(stdin().lock())?;
    let outcome = request.run()?;
    serde_json::to_writer(stdout().lock(), &outcome)?;
    Ok(())
}
