//! A running tshark.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use super::fields::Field;
use super::keys::Key;
use super::profile::Profile;
use super::program::Program;
use super::row::{AGGREGATOR, SEPARATOR};

/// The longest line that is kept: a frame can repeat a field as often as it likes.
const LINE_BYTES: u64 = 1 << 20;
/// What is kept of its messages.
const MESSAGE_BYTES: u64 = 16 << 10;
const BUFFER_BYTES: usize = 256 << 10;

/// How tshark is to run.
#[derive(Clone)]
pub(super) struct Setup {
    /// The fields it prints.
    pub fields: Vec<Field>,
    /// Frames of which nothing says otherwise end with their FCS.
    pub assumes_fcs: bool,
}

/// tshark printing the fields of a capture's frames; killed when it is dropped.
pub(super) struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
    messages: Option<JoinHandle<String>>,
    /// Read by tshark until it ends.
    _profile: Profile,
}

impl Process {
    /// Starts tshark on the capture at `path`.
    pub fn start(program: &Program, path: &Path, keys: &[Key], setup: &Setup) -> io::Result<Process> {
        let profile = Profile::new(keys, setup.assumes_fcs)?;
        let mut command = program.command();
        // An absolute path is never taken for an option, nor for standard input.
        command.arg("-n").arg("-r").arg(std::path::absolute(path)?);
        command.args(["-T", "fields", "-E", "header=n", "-E", "quote=n", "-E", "occurrence=a"]);
        command.arg("-E").arg(format!("separator={SEPARATOR}"));
        command.arg("-E").arg(format!("aggregator={AGGREGATOR}"));
        for field in &setup.fields {
            command.arg("-e").arg(field.name());
        }
        command.env("WIRESHARK_CONFIG_DIR", profile.path()).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let messages = thread::spawn(move || {
            let mut text = Vec::new();
            let kept = stderr.by_ref().take(MESSAGE_BYTES).read_to_end(&mut text);
            // A pipe that nobody empties would stop tshark.
            let _ = kept.and_then(|_| io::copy(&mut stderr, &mut io::sink()));
            String::from_utf8_lossy(&text).into_owned()
        });
        let lines = BufReader::with_capacity(BUFFER_BYTES, stdout);
        Ok(Process { child, lines, messages: Some(messages), _profile: profile })
    }

    /// Replaces the content of `line` with the next line, without its end; false when there are no more.
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

    /// Waits for its end, which follows the last line. Returns its exit status and its messages.
    pub fn finish(mut self) -> io::Result<(ExitStatus, String)> {
        let status = self.child.wait()?;
        let messages = self.messages.take().map(JoinHandle::join);
        Ok((status, messages.and_then(Result::ok).unwrap_or_default()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already, or nobody wants to know how it ends.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
