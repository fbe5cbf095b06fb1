//! Settings of a controller: a JSON object over its defaults, checked.

use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::Value;

/// The constants of a controller.
pub trait Settings: Default + DeserializeOwned {
    /// Whether the constants make sense.
    ///
    /// # Errors
    ///
    /// Names the first that does not.
    fn check(&self) -> Result<(), String>;
}

/// Settings with the constants that `object` names and defaults for the rest; null is an empty object.
///
/// # Errors
///
/// A constant does not exist, is of another type, or makes no sense.
pub fn read<S: Settings>(object: &Value) -> Result<S, String> {
    let settings = if object.is_null() { Ok(S::default()) } else { serde_json::from_value(object.clone()) };
    let settings: S = settings.map_err(|error| error.to_string())?;
    settings.check().map(|()| settings)
}

/// The same, over constants other than the defaults: `base` with those that `object` names.
///
/// # Errors
///
/// A constant does not exist, is of another type, or makes no sense.
pub fn read_over<S: Settings + Serialize>(base: &S, object: &Value) -> Result<S, String> {
    let mut merged = serde_json::to_value(base).map_err(|error| error.to_string())?;
    match (&mut merged, object) {
        (Value::Object(constants), Value::Object(given)) => constants.extend(given.clone()),
        (_, Value::Null) => {}
        _ => return read(object),
    }
    read(&merged)
}

/// Every named value is finite and above 0.
///
/// # Errors
///
/// Names the first that is not.
pub fn positive(values: &[(&str, f64)]) -> Result<(), String> {
    all(values, "a number above 0", |value| value > 0.0)
}

/// Every named value is finite and at least 0.
///
/// # Errors
///
/// Names the first that is not.
pub fn not_negative(values: &[(&str, f64)]) -> Result<(), String> {
    all(values, "a number that is not negative", |value| value >= 0.0)
}

/// Every named value lies between 0 and 1, both excluded.
///
/// # Errors
///
/// Names the first that does not.
pub fn share(values: &[(&str, f64)]) -> Result<(), String> {
    all(values, "a number between 0 and 1", |value| value > 0.0 && value < 1.0)
}

fn all(values: &[(&str, f64)], wanted: &str, holds: fn(f64) -> bool) -> Result<(), String> {
    match values.iter().find(|(_, value)| !value.is_finite() || !holds(*value)) {
        Some((name, value)) => Err(format!("{name} must be {wanted}, not {value}")),
        None => Ok(()),
    }
}
