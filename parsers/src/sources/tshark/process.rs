//! A running tshark process.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use super::fields::Field;
use super::keys::Key;
use super::options::TsharkOptions;
use super::profile::Profile;
use super::program::Program;
use super::row::{AGGREGATOR, SEPARATOR};

/// Maximum line length: a frame can repeat a field any number of times.
const LINE_BYTES: u64 = 1 << 20;
/// Maximum size of the messages that are kept.
const MESSAGE_BYTES: u64 = 16 << 10;
const BUFFER_BYTES: usize = 256 << 10;

/// Options for running tshark.
#[derive(Clone)]
pub(super) struct Setup {
    /// The fields it prints.
    pub fields: Vec<Field>,
    /// Assume an FCS at the end of frames for which FCS presence is not declared.
    pub assumes_fcs: bool,
}

/// A tshark process that prints the fields of a capture's frames; killed on drop.
pub(super) struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
    messages: Option<JoinHandle<String>>,
    /// Settings folder that tshark reads while it runs.
    _profile: Profile,
}

impl Process {
    /// Starts tshark on the capture at `path`.
    pub fn start(
        program: &Program,
        path: &Path,
        keys: &[Key],
        options: &TsharkOptions,
        setup: &Setup,
    ) -> io::Result<Process> {
        let profile = Profile::new(keys, setup.assumes_fcs, options)?;
        let mut command = program.command();
        // An absolute path cannot be mistaken for an option or for standard input.
        command.arg("-n").arg("-r").arg(std::path::absolute(path)?);
        command.args(["-T", "fields", "-E", "header=n", "-E", "quote=n", "-E", "occurrence=a"]);
        command.arg("-E").arg(format!("separator={SEPARATOR}"));
        command.arg("-E").arg(format!("aggregator={AGGREGATOR}"));
        for field in &setup.fields {
            command.arg("-e").arg(field.name());
        }
        command.args(options.arguments());
        command.env("WIRESHARK_CONFIG_DIR", profile.path()).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let messages = thread::spawn(move || {
            let mut text = Vec::new();
            let kept = stderr.by_ref().take(MESSAGE_BYTES).read_to_end(&mut text);
            // Standard error is drained, because a full pipe would block tshark.
            let _ = kept.and_then(|_| io::copy(&mut stderr, &mut io::sink()));
            String::from_utf8_lossy(&text).into_owned()
        });
        let lines = BufReader::with_capacity(BUFFER_BYTES, stdout);
        Ok(Process { child, lines, messages: Some(messages), _profile: profile })
    }

    /// Replaces `line` with the next line, without its line end; returns false at the end.
    pub fn read_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        let octets = self.lines.by_ref().take(LINE_BYTES).read_until(b'\n', line)?;
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if octets as u64 == LINE_BYTES {
            self.lines.skip_until(b'\n')?;
        }
        Ok(octets > 0)
    }

    /// Waits for the process to end, after the last line. Returns its exit status and its messages.
    pub fn finish(mut self) -> io::Result<(ExitStatus, String)> {
        let status = self.child.wait()?;
        let messages = self.messages.take().map(JoinHandle::join);
        Ok((status, messages.and_then(Result::ok).unwrap_or_default()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already, or its exit status is not needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
