//! Captures as files: every byte order and resolution, damage and hostile content.

mod damage;
mod hostile;
mod pcap_file;
mod variants;
#[path = "../xorshift/mod.rs"]
mod xorshift;
