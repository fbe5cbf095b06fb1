//! Wireshark's settings for one run: those of the user do not apply.
//!
//! Settings and keys are files in a folder that only the user can enter, not options: every user of a
//! machine sees the options of a process.

use std::fs::write;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::keys::Key;

/// Every frame by itself: nothing is put together from several, and nothing is compared with earlier ones.
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

/// A folder with Wireshark's settings, removed when it is dropped.
pub(super) struct Profile {
    folder: TempDir,
}

impl Profile {
    /// With `keys` for encrypted frames. `assumes_fcs` is for frames of which nothing says whether they end
    /// with their FCS.
    pub fn new(keys: &[Key], assumes_fcs: bool) -> io::Result<Profile> {
        let folder = tempfile::Builder::new().prefix("winf-tshark-").tempdir()?;
        let assumed = if assumes_fcs { "wlan.check_fcs: TRUE\n" } else { "" };
        write(folder.path().join("preferences"), [PREFERENCES, assumed].concat())?;
        let table: String = keys.iter().map(Key::table_line).collect();
        write(folder.path().join("80211_keys"), table)?;
        Ok(Profile { folder })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
