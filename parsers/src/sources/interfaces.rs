//! Captures with several interfaces.

use crate::base::{Warning, WarningCode};

/// Warning text that lists each source with its radio, interface and interface name, if there are several.
pub(super) fn several_interfaces(mut heard: Vec<(u8, u32, &str)>) -> Option<Warning> {
    heard.sort_unstable();
    let ([_, others @ ..], true) = (heard.as_slice(), heard.len() > 1) else { return None };
    let listed = others.iter().map(|(radio, interface, name)| match name.is_empty() {
        true => format!("#{radio} is interface {interface}"),
        false => format!("#{radio} is interface {interface} ({name})"),
    });
    let message = format!(
        "{} interfaces recorded 802.11 frames, each by its own clock; rows of all but the first have a number behind \
         the name of their source: {}",
        heard.len(),
        listed.collect::<Vec<_>>().join(", ")
    );
    Some(Warning { frame_no: None, offset: None, code: WarningCode::SeveralInterfaces, message })
}
