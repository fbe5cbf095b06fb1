//! Every sample, damaged at every single offset: no panic, no hang, a bounded number of rows.
//!
//! The samples are all recordings in `sample_captures` (3.7 MB of pcap, ns-2 and ns-3 traces), one of them also as
//! pcapng, and a piece of one under every compression. To read each of them anew for every offset would be 10^12
//! octets, so most cases read a window instead, which [`windows`] shows to be the same where the two can differ.
//! What is read goes through everything: container, decoders, radios, clock and exchange builder.
//!
//! Cut ([`cuts`]): every file at every offset, in a window of the record that is cut and the two before it; and the
//! whole file up to every end of a record, and one octet less and more.
//!
//! Changed ([`changes`]): every octet of every file to 0x00, to 0xff, to its complement, and by one bit, in a window
//! of the record before, its own and the two after it; every octet of a file header with the first 64 KiB; every
//! octet of a record header, complemented, with the 16 KiB behind it, which a wrong length lays open.
//!
//! Every read has to take fewer steps than it has octets; one that does not end is named by [`watch`].

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
