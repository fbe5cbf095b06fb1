//! Runs worlds: JSON lines in, JSON lines out, in order.
//!
//! In: `{"world": {...}, "controllers": [{"name": "new_reno", "mode": "corrected", "settings": {}}], "seed": 1}`.
//! Out: `{"fault": null, "bin": ..., "flows": {...}, "links": {...}, "flow_bins": {...}}`, tables as columns; with the
//! option `--link-bins` also `"link_bins"`.

use std::error::Error;
use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::{json, Value};
use winf_engine::controller::{Controller, Mode};
use winf_engine::controllers;
use winf_engine::simulation::Simulation;
use winf_engine::world::World;

#[derive(Deserialize)]
struct Job {
    world: World,
    #[serde(default)]
    controllers: Vec<Choice>,
    seed: u64,
}

#[derive(Deserialize)]
struct Choice {
    name: String,
    mode: String,
    #[serde(default)]
    settings: Value,
}

fn main() -> Result<(), Box<dyn Error>> {
    let link_bins = std::env::args().any(|argument| argument == "--link-bins");
    let mut out = io::stdout().lock();
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let result = run(&line?, link_bins).map_err(|error| format!("line {}: {error}", number + 1))?;
        writeln!(out, "{result}")?;
        out.flush()?;
    }
    Ok(())
}

fn run(line: &str, link_bins: bool) -> Result<Value, Box<dyn Error>> {
    let job: Job = serde_json::from_str(line)?;
    let controllers = job.controllers.iter().map(made).collect::<Result<Vec<_>, _>>()?;
    let outcome = Simulation::new(&job.world, &controllers, job.seed)?.run();
    let mut result = json!({
        "fault": outcome.fault,
        "bin": outcome.bin,
        "flows": outcome.flows,
        "links": outcome.links,
        "flow_bins": outcome.flow_bins,
    });
    if link_bins {
        result["link_bins"] = serde_json::to_value(outcome.link_bins)?;
    }
    Ok(result)
}

fn made(choice: &Choice) -> Result<Box<dyn Controller>, Box<dyn Error>> {
    let modes = [Mode::Paper, Mode::PaperGreedy, Mode::Corrected];
    let mode = modes.into_iter().find(|mode| mode.name() == choice.mode);
    let mode = mode.ok_or_else(|| format!("no mode {:?}", choice.mode))?;
    Ok(controllers::make(&choice.name, mode, &choice.settings)?)
}
