//! Runs requests: JSON lines in, JSON lines out, in order. What a run leaves behind comes without its steps of packets,
//! and without bins of links unless `--link-bins` is given.
//!
//! `cargo run --release -p winf-engine --example replay < requests.jsonl > outcomes.jsonl`

use std::error::Error;
use std::io::{stdin, stdout, BufRead, Write};

use winf_engine::record::{EventLog, LinkBins};
use winf_engine::request::Request;

fn main() -> Result<(), Box<dyn Error>> {
    let link_bins = std::env::args().any(|argument| argument == "--link-bins");
    let mut out = stdout().lock();
    for (number, line) in stdin().lock().lines().enumerate() {
        let at = |error: &dyn Error| format!("line {}: {error}", number + 1);
        let request: Request = serde_json::from_str(&line?).map_err(|error| at(&error))?;
        let mut outcome = request.run().map_err(|error| at(&error))?;
        outcome.events = EventLog::default();
        if !link_bins {
            outcome.link_bins = LinkBins::default();
        }
        serde_json::to_writer(&mut out, &outcome)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}
