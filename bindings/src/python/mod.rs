//! The Python module `winf_analyzer._core`: converts arguments, releases the interpreter lock, maps errors to exceptions.

pub mod exchange_sample;
pub mod follower;
pub mod kernels;
pub mod recordings;
pub mod registries;
pub mod together;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    _core,
    DecoderUnavailable,
    PyException,
    "The decoder is not installed or too old; the message says what to do."
);
create_exception!(_core, UnusableRecording, PyException, "Nothing in the input can be used; the message says why.");

/// Native half of winf_analyzer.
#[pymodule(name = "_core")]
mod module {
    #[pymodule_export]
    use super::exchange_sample::ExchangeSample;
    #[pymodule_export]
    use super::follower::Follower;
    #[pymodule_export]
    use super::kernels::{
        dcf_monte_carlo, group_sums, ordered_sums, plateau_evidence, solve_stations, BusyTime, Correlation, GroupIds,
        HeadOfLine, HiddenEvidence, SequenceSteps, Smoothing,
    };
    #[pymodule_export]
    use super::recordings::{
        check_decoder, exchanges, first_ns, frames, ingest, merge, recognize, survey, TableStream,
    };
    #[pymodule_export]
    use super::registries::{formats, parquet_footer, parquet_metadata, tables, write_part, ArrowSchema};
    #[pymodule_export]
    use super::together::ingest_together;
    #[pymodule_export]
    use super::{DecoderUnavailable, UnusableRecording};
    #[pymodule_export]
    use crate::arrow_table::ArrowTable;
    #[pymodule_export]
    use crate::evidence::{LinkEvidence, SequenceGaps};
    #[pymodule_export]
    use crate::frame_counts::FrameCounts;
    #[pymodule_export]
    use crate::phy_constants::{phy_constants, reason_codes, status_codes};
    #[pymodule_export]
    use crate::replay::python::{controllers, has_max_min, replay, world_from_toml, ReplayIterator, ReplayRun};
    #[pymodule_export]
    use crate::replay::views::{
        AckView, CongestionView, CrossLayerView, FlowSetupView, FlowViewView, LinkSetupView, LinkViewView,
        NodeSetupView, PacketView,
    };

    use pyo3::prelude::*;
    use winf_parsers::tables::schema::FORMAT_VERSION;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEBUG_BUILD", cfg!(debug_assertions))?;
        module.add("FORMAT_VERSION", FORMAT_VERSION)
    }
}
