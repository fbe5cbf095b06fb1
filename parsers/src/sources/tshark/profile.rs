//! Wireshark settings for one run, independent of the user's configuration.
//!
//! Settings and keys are passed as files in a folder that only the user can access. They are not passed as command-line
//! options, which all users of a machine can see.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use tempfile::TempDir;

use super::keys::Key;
use super::options::TsharkOptions;

/// Frames are dissected independently: no reassembly, and no comparison with earlier frames.
const PREFERENCES: &str = "\
wlan.check_checksum: TRUE
wlan.enable_decryption: TRUE
wlan.defragment: FALSE
ip.defragment: FALSE
ipv6.defragment: FALSE
tcp.desegment_tcp_streams: FALSE
tcp.analyze_sequence_numbers: FALSE
tcp.relative_sequence_numbers: FALSE
";

/// A folder with Wireshark settings, removed on drop.
pub(super) struct Profile {
    folder: TempDir,
}

impl Profile {
    /// `keys` are for encrypted frames. `assumes_fcs` assumes an FCS at the end of frames for which its presence is not
    /// declared. A profile of the user's comes first: what is said here takes its place.
    pub fn new(keys: &[Key], assumes_fcs: bool, options: &TsharkOptions) -> io::Result<Profile> {
        let folder = tempfile::Builder::new().prefix("winf-tshark-").tempdir()?;
        let assumed = if assumes_fcs { "wlan.check_fcs: TRUE\n" } else { "" };
        options.copy_profile(folder.path())?;
        let append = |file: &str, text: &str| {
            let opened = OpenOptions::new().create(true).append(true).open(folder.path().join(file));
            opened.and_then(|mut opened| opened.write_all(text.as_bytes()))
        };
        append("preferences", &[PREFERENCES, assumed].concat())?;
        let table: String = keys.iter().map(Key::table_line).collect();
        append("80211_keys", &table)?;
        Ok(Profile { folder })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
