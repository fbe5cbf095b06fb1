//! Every sample, damaged at every single offset: no panic, no hang, a bounded number of rows.
//!
//! The samples are all recordings in `sample_captures` (31 files of pcap, ns-2 and ns-3 traces, 3.5 MB), the smallest
//! capture also as pcapng, and pieces of 4 KiB under every compression. To read each file anew for every offset and
//! change would be 5 * 10^12 octets. So most cases read a window of records behind the file's beginning;
//! [`windows`] shows that damage does there what it does in the whole file. Everything is gone through each time:
//! container, decoders, radios, clock, exchange builder and summary.
//!
//! Cut ([`cuts`]):
//! - every file at every offset, in a window of the record that is cut and the two before it. Of captures exactly those
//!   two are kept, with one warning;
//! - around every end of a record, one octet less and one more, with the 32 KiB before it.
//!
//! Changed ([`changes`]):
//! - every octet of every file to 0x00, to 0xff, to its complement, and by one bit, in a window of the record before,
//!   its own and the two after it;
//! - the same of every octet of a file header, and of the first line of a trace, with the first 64 KiB;
//! - every octet of a record header, to its complement, with the 16 KiB behind it that a wrong length lays open.
//!
//! All that is done to every record is the nightly tests' work; the usual ones take one record of [`samples::SOME`].
//!
//! Compressed octets ([`compressed`]) are cut and changed in the same ways, with all that follows. [`random`] changes
//! several octets of large pieces at once.
//!
//! A row takes up at least as much as the smallest record, and no read takes more steps than it gives rows, but for
//! three. A group of cases that takes two minutes is named and ends the test ([`watch`]).

mod changes;
mod compressed;
mod cuts;
#[path = "../pack/mod.rs"]
mod pack;
mod random;
mod reading;
mod samples;
mod watch;
mod windows;
#[path = "../xorshift/mod.rs"]
mod xorshift;
