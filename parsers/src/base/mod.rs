//! Shared basics: errors and warnings, fields of octets, enums with texts, numbers, nanoseconds.

mod error;
pub(crate) mod named;
pub(crate) mod numbers;
pub(crate) mod octets;
pub(crate) mod time;
mod warning;

pub use error::{Error, Result};
pub use warning::{Warning, WarningCode};
