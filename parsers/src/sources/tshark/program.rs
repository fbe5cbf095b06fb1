//! The installed tshark.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::base::{Error, Result};

/// The minimum version that has all of [`super::fields`].
pub const MIN_VERSION: Version = Version { major: 4, minor: 0 };

/// A version of Wireshark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major version.
    pub major: u16,
    /// Minor version.
    pub minor: u16,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A tshark that can be run.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    version: Version,
}

impl Program {
    /// Finds the `tshark` on the search path.
    ///
    /// # Errors
    /// [`Error::DecoderUnavailable`] where there is none, or one older than [`MIN_VERSION`].
    pub fn find() -> Result<Program> {
        Program::at(Path::new("tshark"))
    }

    /// As above, for a program of any name.
    ///
    /// # Errors
    /// As for [`Program::find`].
    pub fn at(path: &Path) -> Result<Program> {
        const REMEDY: &str = "Install it (Debian, Ubuntu: apt install tshark), or use the native decoder";
        let unavailable = |reason: String| Error::DecoderUnavailable { reason: format!("{reason}. {REMEDY}") };
        let asked = Command::new(path).arg("--version").stdin(Stdio::null()).output();
        let output = asked.map_err(|error| unavailable(format!("tshark cannot be run: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some(version) = version_in(&text) else {
            return Err(unavailable("tshark did not say which version it is".to_owned()));
        };
        if version < MIN_VERSION {
            return Err(unavailable(format!("tshark {version} is too old: {MIN_VERSION} or newer is needed")));
        }
        Ok(Program { path: path.to_owned(), version })
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// A command that runs it.
    pub(super) fn command(&self) -> Command {
        Command::new(&self.path)
    }
}

/// The version in the output of `tshark --version`: `TShark (Wireshark) 4.0.17 (Git ...`.
fn version_in(text: &str) -> Option<Version> {
    let line = text.lines().find(|line| line.starts_with("TShark"))?;
    let number = line.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = number.split('.').map_while(|part| part.parse().ok());
    Some(Version { major: parts.next()?, minor: parts.next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_they_are_printed() {
        for (text, version) in [
            ("TShark (Wireshark) 4.0.17 (Git v4.0.17 packaged as 4.0.17-0+deb12u3).\n", Some((4, 0))),
            ("Running as user \"root\"\nTShark (Wireshark) 3.6.2 (Git)\n", Some((3, 6))),
            ("TShark 4.4.0.", Some((4, 4))),
            ("TShark", None),
            ("", None),
        ] {
            assert_eq!(version_in(text), version.map(|(major, minor)| Version { major, minor }), "{text}");
        }
    }

    #[test]
    fn a_missing_program_is_named_with_its_remedy() {
        let error = Program::at(Path::new("/nonexistent/tshark")).unwrap_err().to_string();
        assert!(error.contains("tshark cannot be run") && error.contains("apt install tshark"), "{error}");
    }
}
