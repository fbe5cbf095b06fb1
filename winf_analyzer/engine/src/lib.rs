//! Replay engine: what would this controller have done here?
//!
//! A deterministic packet-level simulation of flows over multi-hop 802.11 paths. The crate is pure: no files, no
//! clock, no threads, no Python. Time is an argument everywhere, in integer nanoseconds, and a seed gives the same
//! bytes on every run and machine.
//!
//! - [`controller`] is the interface of congestion controllers: an endpoint, and for explicit feedback a router.
//! - [`packet`] is what travels between them.

pub mod controller;
pub mod controllers;
pub mod cross_layer;
pub mod packet;
pub mod reference;
pub mod units;
