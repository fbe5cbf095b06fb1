//! Errors that make a whole recording unusable. A damaged record is not an error but a row.

use std::path::PathBuf;

/// The result of an operation on a recording.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system returned an error.
    #[error("{path}: {attempted} failed: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation attempted.
        attempted: &'static str,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The content has no supported format.
    #[error("{path}: not a recording: {found}. Expected pcap, pcapng or a trace of ns-2 or ns-3", path = path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
        /// Description of the content.
        found: String,
    },
    /// A recording without a single frame.
    #[error("{path}: no frames in it", path = path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A capture of something other than 802.11.
    #[error("{path}: frames of link type {link_type} ({name}) are not read. Capture in monitor mode (link type 127, 105, 119, 163 or 192)", path = path.display())]
    LinkType {
        /// The file.
        path: PathBuf,
        /// LINKTYPE_ number of the container.
        link_type: u32,
        /// Its name, if known.
        name: &'static str,
    },
    /// A capture whose frames are all of interfaces that it does not describe.
    #[error("{path}: it does not describe the interfaces of its frames, so that their link type is unknown. Write it again from its beginning, or take the section header and interface descriptions from another file of the same set", path = path.display())]
    NoInterface {
        /// The file.
        path: PathBuf,
    },
    /// An external decoder is missing or too old.
    #[error("{reason}")]
    DecoderUnavailable {
        /// What is missing, and the remedy.
        reason: String,
    },
    /// An external decoder could not read the file.
    #[error("{path}: {message}", path = path.display())]
    Decoder {
        /// The file.
        path: PathBuf,
        /// The message of the decoder.
        message: String,
    },
}
