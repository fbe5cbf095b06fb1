//! Which instant a time stamp marks, and therefore when each frame started and ended.
//!
//! Drivers stamp the start of a frame, the start of its MPDU (radiotap's definition of TSFT), or
//! its end, and not always the same for sent and received frames or for every PHY; ns-3 writes
//! starts and ends into one file. A recording shows which: the standard puts exactly one SIFS
//! between a frame and the response it solicits, so the distance of their stamps tells where in
//! each frame the stamp lies. [`ClockAnalysis`] collects that evidence from the first frames of a
//! source, [`ClockModel`] then times every frame of it.

mod ampdu;
mod convention;
mod decide;
mod drift;
mod evidence;
pub(crate) mod line;
mod model;
mod solicited;
mod timeline;

pub(crate) use ampdu::AmpduAirtimes;
pub use convention::{Convention, GroupConvention};
pub use drift::Drift;
pub use evidence::ClockAnalysis;
pub use model::ClockModel;
pub use timeline::TimeScale;
