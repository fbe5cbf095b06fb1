//! ASCII traces of ns-3's Wi-Fi devices (`YansWifiPhyHelper::EnableAscii`): a line per transmission and reception.
//!
//! `line` parses a line, `items` the printed packet. `mac` parses the MAC header, `upper` the headers above it, and
//! `mode` the name of the modulation; `psdu` builds the rows. `reader` applies them to a file and infers the MAC
//! address of each device.

mod items;
mod line;
mod mac;
mod mode;
mod psdu;
mod reader;
mod upper;

pub use reader::Ns3Reader;

/// True if the start of a file is such a trace: all lines are from an ASCII trace of any devices, and at least one is
/// from a Wi-Fi device.
pub fn looks_like(prefix: &[u8]) -> bool {
    for text in prefix.split(|&b| b == b'\n') {
        match line::kind_of(text) {
            line::LineKind::Wifi => return true,
            line::LineKind::Other => {}
            line::LineKind::Unknown => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_recognised_by_content() {
        let wifi = b"t 2.5e-05 /NodeList/0/DeviceList/1/$ns3::WifiNetDevice/Phy/State/Tx ns3::WifiMacHeader (CTL_ACK ";
        let wired = b"+ 2 /NodeList/0/DeviceList/0/$ns3::PointToPointNetDevice/TxQueue/Enqueue ns3::PppHeader (x)\n";
        assert!(looks_like(wifi));
        assert!(looks_like(&[&wired[..], wifi].concat()));
        for other in [&b""[..], wired, b"\n", b"hello\n", b"s 1.0 _0_ AGT  --- 0 cbr 1000\n", b"r 0.1 0 1 tcp 40\n"] {
            assert!(!looks_like(other), "{:?}", String::from_utf8_lossy(other));
        }
    }
}
