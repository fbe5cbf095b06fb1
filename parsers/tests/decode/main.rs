//! Captures as files: every byte order and resolution, damage, hostile content, and tshark's opinion.

mod damage;
mod hostile;
mod pcap_file;
mod tshark;
mod variants;
