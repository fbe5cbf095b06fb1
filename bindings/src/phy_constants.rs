//! The constants of IEEE 802.11 for Python.

use pyo3::prelude::*;
use winf_parsers::ieee80211::constants::{constants, REASONS, STATUSES};

/// A constant: name, PHY, band, value, unit, clause.
type Row = (&'static str, Option<&'static str>, Option<&'static str>, f64, &'static str, &'static str);

/// Every constant of IEEE 802.11 that this project rests on, with the PHY and band that it holds for (`None`: any).
#[pyfunction]
pub fn phy_constants() -> Vec<Row> {
    constants().into_iter().map(|row| (row.name, row.phy, row.band, row.value, row.unit, row.clause)).collect()
}

/// Reason codes with what they mean in words.
#[pyfunction]
pub fn reason_codes() -> Vec<(u16, &'static str)> {
    REASONS.to_vec()
}

/// Status codes of authentication and association with what they mean in words.
#[pyfunction]
pub fn status_codes() -> Vec<(u16, &'static str)> {
    STATUSES.to_vec()
}
