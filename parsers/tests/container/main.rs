//! Containers, encapsulations and compressions around the same frames, whole and damaged.

mod compression;
mod encapsulations;
mod files;
mod growing;
#[path = "../pack/mod.rs"]
mod pack;
mod pcapng;
mod radios;
