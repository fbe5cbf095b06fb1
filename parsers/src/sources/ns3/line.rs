//! One line of a trace:
//!
//! ```text
//! t 0.50505 /NodeList/0/DeviceList/1/$ns3::WifiNetDevice/Phy/State/Tx DsssRate1Mbps ns3::WifiMacHeader (...) ...
//! r 0.505754 DsssRate1Mbps /NodeList/1/DeviceList/0/$ns3::WifiNetDevice/Phy/State/RxOk ns3::WifiMacHeader (...) ...
//! ```
//!
//! Releases up to ns-3.29 print no mode. Times have six significant digits unless the simulation sets another
//! precision.

use crate::base::numbers::whole;
use crate::base::time::LATEST_NS;

const WIFI_STATE: &str = "/$ns3::WifiNetDevice/Phy/State/";

/// Type of a line, detected from its first characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A transmission or reception of a Wi-Fi device.
    Wifi,
    /// An event of another trace source, a comment, or an empty line.
    Other,
    /// Not written by a simulator.
    Unknown,
}

/// A device: the number of its node, and its number within the node.
pub(super) type Device = (u32, u32);

/// The event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Sent,
    Received,
    /// The preamble was detected and the remainder lost.
    Failed,
}

/// A parsed line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) what: What,
    /// The printed time: start of a transmission, end of a reception.
    pub(super) seconds: &'a str,
    pub(super) device: Device,
    /// Name of the modulation; empty if not printed.
    pub(super) mode: &'a str,
    /// The packet.
    pub(super) packet: &'a str,
}

/// Detects the type of a line from its first characters.
pub(super) fn kind_of(text: &[u8]) -> LineKind {
    match text {
        [] | [b'#' | b'\r', ..] => return LineKind::Other,
        [b't' | b'r' | b'+' | b'-' | b'd', b' ', b'0'..=b'9', ..] => {}
        _ => return LineKind::Unknown,
    }
    // The path is the third or the fourth word.
    let mut words = text.split(|&b| b == b' ').skip(2).take(2);
    match words.find(|word| word.starts_with(b"/NodeList/")) {
        Some(path) if memchr::memmem::find(path, WIFI_STATE.as_bytes()).is_some() => LineKind::Wifi,
        Some(_) => LineKind::Other,
        None => LineKind::Unknown,
    }
}

/// Parses a line; `None` if it is malformed.
pub(super) fn parse(text: &str) -> Option<Line<'_>> {
    let mut rest = text;
    let operation = word(&mut rest)?;
    let seconds = word(&mut rest)?;
    let first = word(&mut rest)?;
    let (mode, path) = if first.starts_with('/') { ("", first) } else { (first, word(&mut rest)?) };
    let (device, state) = path.split_once(WIFI_STATE)?;
    let what = match (operation, state) {
        ("t", "Tx") => What::Sent,
        ("r", "RxOk") => What::Received,
        ("r" | "d", "RxError") => What::Failed,
        _ => return None,
    };
    let mode = if mode.is_empty() && !rest.starts_with("ns3::") { word(&mut rest)? } else { mode };
    Some(Line { what, seconds, device: device_of(device)?, mode, packet: rest })
}

/// `/NodeList/0/DeviceList/1`.
fn device_of(path: &str) -> Option<Device> {
    let (node, device) = path.strip_prefix("/NodeList/")?.split_once("/DeviceList/")?;
    Some((node.parse().ok()?, device.parse().ok()?))
}

/// Parses the next word and the space after it.
fn word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let (word, behind) = rest.split_once(' ')?;
    *rest = behind;
    (!word.is_empty()).then_some(word)
}

/// Parses seconds as printed by a C++ stream, optionally with an exponent; in nanoseconds.
pub(super) fn nanoseconds(seconds: &str) -> Option<i64> {
    let ns = (seconds.parse::<f64>().ok()? * 1e9).round();
    (0.0..=LATEST_NS as f64).contains(&ns).then(|| whole(ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_may_stand_before_or_behind_the_path_or_be_missing() {
        let wifi = "$ns3::WifiNetDevice/Phy/State";
        for (text, what, device, mode) in [
            (format!("t 0.5 /NodeList/3/DeviceList/1/{wifi}/Tx ns3::X (a) "), What::Sent, (3, 1), ""),
            (format!("t 0.5 /NodeList/3/DeviceList/1/{wifi}/Tx HtMcs7 ns3::X (a) "), What::Sent, (3, 1), "HtMcs7"),
            (
                format!("r 0.5 HtMcs7 /NodeList/0/DeviceList/0/{wifi}/RxOk ns3::X (a) "),
                What::Received,
                (0, 0),
                "HtMcs7",
            ),
            (format!("r 0.5 /NodeList/0/DeviceList/0/{wifi}/RxError ns3::X (a) "), What::Failed, (0, 0), ""),
        ] {
            assert_eq!(kind_of(text.as_bytes()), LineKind::Wifi);
            let expected = Line { what, seconds: "0.5", device, mode, packet: "ns3::X (a) " };
            assert_eq!(parse(&text), Some(expected), "{text}");
        }
    }

    #[test]
    fn seconds_are_whole_nanoseconds() {
        for (text, ns) in [
            ("2.5e-05", Some(25_000)),
            ("0.000133033", Some(133_033)),
            ("1.016931752", Some(1_016_931_752)),
            ("12", Some(12_000_000_000)),
            ("-1", None),
            ("9e9", None),
            ("1e300", None),
            ("nan", None),
            ("", None),
        ] {
            assert_eq!(nanoseconds(text), ns, "{text}");
        }
    }

    #[test]
    fn lines_of_other_sources_are_told_apart() {
        for (text, kind) in [
            ("", LineKind::Other),
            ("# comment", LineKind::Other),
            ("d 1.5 /NodeList/0/DeviceList/0/$ns3::CsmaNetDevice/TxQueue/Drop ns3::X (a)", LineKind::Other),
            ("t 1.5 /NodeList/0/$ns3::Ipv4L3Protocol/Tx(1) ns3::Ipv4Header (a)", LineKind::Other),
            ("r 0.505754 DsssRate1Mbps ns3::WifiMacHeader", LineKind::Unknown),
            ("hello", LineKind::Unknown),
        ] {
            assert_eq!(kind_of(text.as_bytes()), kind, "{text}");
        }
    }
}
