//! Names of modulations (`WifiMode`): `DsssRate5_5Mbps`, `ErpOfdmRate24Mbps`, `OfdmRate3MbpsBW10MHz`, `HtMcs7`.

use crate::frame::{Frame, Phy};

/// Fills PHY columns from the name of a mode; leaves them unchanged if the name is unknown.
pub(super) fn fill(frame: &mut Frame, mode: &str) {
    if let Some((family, mcs)) = mode.split_once("Mcs") {
        frame.phy = match family {
            "Ht" => Some(Phy::Ht),
            "Vht" => Some(Phy::Vht),
            "He" => Some(Phy::He),
            "Eht" => Some(Phy::Eht),
            _ => return,
        };
        frame.mcs = mcs.parse().ok();
        if frame.phy == Some(Phy::Ht) {
            frame.nss = frame.mcs.filter(|&mcs| mcs < 32).map(|mcs| mcs / 8 + 1);
        }
    } else if let Some((family, rest)) = mode.split_once("Rate") {
        let Some((rate, bandwidth)) = rest.split_once("Mbps") else { return };
        let Ok(mbps) = rate.replace('_', ".").parse::<f32>() else { return };
        frame.phy = match family {
            "Dsss" if mbps < 5.0 => Some(Phy::Dsss),
            "Dsss" => Some(Phy::HrDsss),
            "ErpOfdm" => Some(Phy::Erp),
            "Ofdm" => Some(Phy::Ofdm),
            _ => return,
        };
        frame.rate_mbps = Some(mbps);
        frame.bandwidth_mhz = bandwidth.strip_prefix("BW").and_then(|width| width.strip_suffix("MHz")?.parse().ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_its_names() {
        for (mode, phy, rate, mcs, bandwidth) in [
            ("DsssRate1Mbps", Some(Phy::Dsss), Some(1.0), None, None),
            ("DsssRate5_5Mbps", Some(Phy::HrDsss), Some(5.5), None, None),
            ("ErpOfdmRate24Mbps", Some(Phy::Erp), Some(24.0), None, None),
            ("OfdmRate13_5MbpsBW5MHz", Some(Phy::Ofdm), Some(13.5), None, Some(5)),
            ("HtMcs15", Some(Phy::Ht), None, Some(15), None),
            ("HeMcs11", Some(Phy::He), None, Some(11), None),
            ("Invalid-WifiMode", None, None, None, None),
            ("OfdmRateMbps", None, None, None, None),
            ("", None, None, None, None),
        ] {
            let mut frame = Frame::new(1, 0);
            fill(&mut frame, mode);
            assert_eq!(
                (frame.phy, frame.rate_mbps, frame.mcs, frame.bandwidth_mhz),
                (phy, rate, mcs, bandwidth),
                "{mode}"
            );
        }
    }
}
