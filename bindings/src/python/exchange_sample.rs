//! What a sample of exchanges says about medium access, as Python values.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use winf_kernels::exchange_sample::{Backoffs, Behaviour, Sample, CATEGORIES};

/// Exchanges sorted by medium and time.
#[pyclass(frozen, module = "winf_analyzer._core")]
pub struct ExchangeSample(Sample);

/// Median in microseconds, how many are within 1 us of it, and how many there are.
type Airtime = (Option<f64>, u64, u64);

/// Number, exchanges that match and that could, most MPDUs, most octets, airtimes.
type BehaviourRow = (u32, [(u64, u64); 3], Option<i64>, Option<i64>, Vec<Airtime>);

/// Medium, source, observer, sender, exchanges, PHY, channel, row, whether the PHY is a guess.
type StationRow =
    (u32, Option<String>, Option<String>, Option<String>, u64, Option<&'static str>, Option<i64>, usize, bool);

/// Station, category, gap, before a first attempt, after an own exchange, count.
type GapRow = (u32, &'static str, i64, bool, bool, u64);

/// Station, network, category, without access point, count.
type TrafficRow = (u32, Option<String>, Option<&'static str>, bool, u64);

#[pymethods]
impl ExchangeSample {
    /// Takes rows of `exchanges`; rows of different values of the column `block`, if there is one, are not consecutive.
    #[new]
    fn new(py: Python<'_>, exchanges: PyTable) -> PyResult<Self> {
        let (batches, _) = exchanges.into_inner();
        let sample = py.detach(|| Sample::new(&batches));
        sample.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The senders by number; those of a medium are together.
    fn stations(&self) -> Vec<StationRow> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let stations = self.0.stations().map(|one| {
            let names = (owned(one.source), owned(one.observer), owned(one.sender));
            (one.medium, names.0, names.1, names.2, one.exchanges, one.phy, one.channel_mhz, one.row, one.guessed)
        });
        stations.collect()
    }

    /// The idle gaps in which stations contended, in whole microseconds, shorter ones first; with SIFS of each station.
    #[allow(clippy::needless_pass_by_value)] // from Python
    fn gaps(&self, sifs_us: Vec<f64>) -> Vec<GapRow> {
        let gaps = self.0.gaps(&sifs_us).into_iter();
        gaps.map(|(gap, count)| (gap.station, category(gap.category), gap.gap_us, gap.first, gap.own, count)).collect()
    }

    /// Exchanges by station, network, access category and whether they went without an access point.
    fn traffic(&self) -> Vec<TrafficRow> {
        let row = |(of, count): (winf_kernels::exchange_sample::Traffic<'_>, u64)| {
            (of.station, of.bssid.map(str::to_owned), of.category.map(category), of.direct, count)
        };
        self.0.traffic().into_iter().map(row).collect()
    }

    /// How each station with an address behaves.
    fn behaviours(&self) -> Vec<BehaviourRow> {
        self.0.behaviours().into_iter().map(|(station, own)| behaviour(station, &own)).collect()
    }

    /// How often a station counted down each number of slots before its exchanges in a category.
    ///
    /// `grid`: slot time, phase and width of the grid of slots; `limits`: tolerance of AIFS, and the slots
    /// from which on a backoff is not counted.
    #[allow(clippy::too_many_arguments)] // named in Python
    fn countdowns(
        &self,
        py: Python<'_>,
        station: u32,
        category: &str,
        sifs_us: f64,
        aifs_us: f64,
        grid: (f64, f64, f64),
        limits: (f64, i64),
    ) -> PyResult<BTreeMap<i64, u64>> {
        let number = CATEGORIES.iter().position(|name| *name == category).and_then(|number| u8::try_from(number).ok());
        let (slot_us, phase_us, width_us) = grid;
        let (tolerance_us, max_slots) = limits;
        let of = Backoffs {
            station,
            category: number.ok_or_else(|| PyValueError::new_err(format!("{category}: no access category")))?,
            sifs_us,
            aifs_us,
            slot_us,
            phase_us,
            width_us,
            tolerance_us,
            max_slots,
        };
        Ok(py.detach(|| self.0.countdowns(&of)))
    }
}

fn category(number: u8) -> &'static str {
    CATEGORIES[usize::from(number)]
}

fn behaviour(station: u32, own: &Behaviour) -> BehaviourRow {
    let [rts, cts_self, short] = own.matching;
    let shares = [(rts, own.unicast), (cts_self, own.unicast), (short, own.dsss)];
    let airtimes = own.airtimes.iter().map(|times| (times.median_us, times.close, times.count)).collect();
    (station, shares, own.mpdus_max, own.psdu_max_bytes, airtimes)
}
