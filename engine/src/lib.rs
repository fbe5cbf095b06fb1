//! Replay engine: what would this controller have done here?
//!
//! A deterministic packet-level simulation of flows over multi-hop 802.11 paths. The crate is pure: no files, no
//! clock, no threads, no Python. Time is an argument everywhere, in integer nanoseconds, and a seed gives the same
//! bytes on every run and machine.
//!
//! - [`controller`] is the interface of congestion controllers: an endpoint, and for explicit feedback a router.
//! - [`index`] has the ids of nodes, links and flows.
//! - [`packet`] is what travels between them.
//! - [`transport`] is what a flow's ends do: sources, acknowledgements, loss detection, retransmission, pacing.
//! - [`world`] is what a run is declared with, [`plan`] the same with its names resolved and its numbers checked.
//! - [`simulation`] is the loop, over queues, wires and the 802.11 medium; [`record`] is what it leaves behind.
//! - [`request`] is all of that as one document.

pub mod controller;
pub mod controllers;
pub mod cross_layer;
mod event;
pub mod index;
mod measure;
mod medium;
mod network;
pub mod packet;
pub mod plan;
pub mod random;
pub mod record;
pub mod reference;
pub mod request;
mod routing;
pub mod simulation;
pub mod transport;
pub mod units;
pub mod world;
