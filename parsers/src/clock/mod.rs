//! Which instant a time stamp marks, and the start and end of each frame that follow from it.
//!
//! Drivers stamp the start of a frame, the start of its MPDU (radiotap's definition of TSFT), or its end. The
//! convention may differ between sent and received frames and between PHYs. ns-3 writes starts and ends into
//! one file. The convention can be inferred from a recording: the standard puts exactly one SIFS between a
//! frame and the response it solicits, so the spacing of their stamps shows which instant of each frame was
//! stamped. [`ClockAnalysis`] collects that evidence from the first frames of a source. [`ClockModel`] then
//! times every frame of the source.

mod ampdu;
mod answered;
mod by_group;
mod convention;
mod corrected;
mod decide;
mod drift;
mod evidence;
mod late;
pub(crate) mod line;
mod membership;
pub(crate) mod misfit;
mod mode;
mod model;
mod offsets;
mod precision;
mod readings;
mod sample;
mod slots;
mod solicited;
mod speed;
mod timeline;
mod told;

pub(crate) use ampdu::{divide, AmpduAirtimes};
pub(crate) use answered::SentFrames;
pub use convention::{Convention, GroupConvention};
pub use drift::Drift;
pub use evidence::ClockAnalysis;
pub use model::ClockModel;
pub(crate) use readings::{infer, HeLengths};
pub(crate) use solicited::follows_after_sifs;
pub use timeline::TimeScale;
pub(crate) use told::{complete, FalseRates};
