//! Wireshark settings for one run, independent of the user's configuration.
//!
//! Settings and keys are passed as files in a folder that only the user can access. They are not passed as command-line
//! options, which all users of a machine can see.

use std::fs::write;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::keys::Key;

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
    /// declared.
    pub fn new(keys: &[Key], assumes_fcs: bool) -> io::Result<Profile> {
        let folder = tempfile::Builder::new().prefix("winf-tshark-").tempdir()?;
        let assumed = if assumes_fcs { "wlan.check_fcs: TRUE\n" } else { "" };
        write(folder.path().join("preferences"), [PREFERENCES, assumed].concat())?;
        let table: String = keys.iter().map(Key::table_line).collect();
        write(folder.path().join("80211_keys"), table)?;
        Ok(Profile { folder })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
