//! The radios of a recording, and their names in rows.

/// Maximum number of radios per recording; no reader assigns higher numbers.
pub(crate) const MAX_RADIOS: u8 = 64;

/// The value of the `source` columns for rows of radio `radio` of the recording `name`: `name` for the first radio,
/// `name#1` for the second.
pub fn source_of(name: &str, radio: u8) -> String {
    match radio {
        0 => name.to_owned(),
        _ => format!("{name}#{radio}"),
    }
}
