//! The radios of a recording, as rows name them.

/// Radios of one recording that are told apart: no reader numbers further.
pub(crate) const MAX_RADIOS: u8 = 64;

/// The value of the `source` columns for rows of radio number `radio` of the recording `name`: the name itself for
/// the first, `name#1` for the second.
pub fn source_of(name: &str, radio: u8) -> String {
    match radio {
        0 => name.to_owned(),
        _ => format!("{name}#{radio}"),
    }
}
