//! Whether tshark takes the user's options, found out before any recording is read.

use std::io::Write;

use super::fields::Field;
use super::options::TsharkOptions;
use super::process::{Process, Setup};
use super::program::Program;
use super::stderr::first_complaint;
use crate::base::{Error, Result};

/// A pcap file header: version 2.4, snap length 65535, link type 127 (radiotap). No record follows it.
const NO_FRAMES: [u8; 24] =
    [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 127, 0, 0, 0];

/// Runs tshark with `options` on a capture without frames: only tshark knows its preferences and dissectors. Returns what
/// it says of the first option that it refuses; `None` if it takes all of them.
///
/// # Errors
/// [`Error::DecoderUnavailable`] if no suitable tshark is installed; [`Error::Io`] if it cannot be run.
pub fn refused_option(options: &TsharkOptions) -> Result<Option<String>> {
    let program = Program::find()?;
    if options.is_empty() {
        return Ok(None);
    }
    if let Some(missing) = options.missing_profile() {
        return Ok(Some(missing));
    }
    let failed = |source| Error::Io { path: "tshark".into(), attempted: "trying its options", source };
    let mut capture = tempfile::Builder::new().prefix("winf-tshark-").suffix(".pcap").tempfile().map_err(failed)?;
    capture.write_all(&NO_FRAMES).map_err(failed)?;
    let setup = Setup { fields: vec![Field::FrameTime], assumes_fcs: false };
    let process = Process::start(&program, capture.path(), &[], options, &setup).map_err(failed)?;
    let (status, text) = process.finish().map_err(failed)?;
    let said = || first_complaint(&text).unwrap_or_else(|| format!("tshark does not start with it ({status})"));
    Ok((!status.success()).then(said))
}
