//! Names the case that does not end.

use std::collections::HashMap;
use std::process;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A group of cases takes seconds, on a busy machine.
const MAX_DURATION: Duration = Duration::from_secs(120);

type Running = HashMap<u64, (Instant, String)>;

static RUNNING: LazyLock<Mutex<(u64, Running)>> = LazyLock::new(|| {
    thread::spawn(|| loop {
        thread::sleep(Duration::from_secs(1));
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, name)) = running.1.values().find(|(begun, _)| begun.elapsed() > MAX_DURATION) {
            eprintln!("{name}: does not end");
            process::exit(101);
        }
    });
    Mutex::default()
});

/// Runs a group of cases that must come to an end.
pub fn ends(name: String, cases: impl FnOnce()) {
    let number = {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.0;
        running.0 += 1;
        running.1.insert(number, (Instant::now(), name));
        number
    };
    cases();
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&number);
}
