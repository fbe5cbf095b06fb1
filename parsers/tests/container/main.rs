//! Containers, encapsulations and compressions around the same frames, whole and damaged.

mod compression;
mod encapsulations;
mod files;
mod growing;
mod mutations;
mod pcapng;
mod radios;
