//! Captures of 802.11 frames: pcap savefiles and pcapng.
//!
//! [`CaptureReader`] walks the records of a container and decodes each by the link type of its interface.

mod byte_order;
mod container;
mod interface;
mod link;
mod pcapng;
mod reader;
mod record;
mod savefile;
mod tally;
mod timestamp;

pub(super) use pcapng::{is_cut_header as cut_section_header, looks_like as looks_like_pcapng};
pub use reader::CaptureReader;
pub(super) use record::Marks;
pub(super) use savefile::{cut_header as cut_file_header, looks_like as looks_like_pcap};
