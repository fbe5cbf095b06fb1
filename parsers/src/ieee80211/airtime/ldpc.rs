//! Number of coded bits of an LDPC-coded PSDU (19.3.11.7.5; also used by VHT, HE and EHT).

use super::modulation::CodeRate;

/// True if the PSDU needs an extra symbol (two with STBC) beyond `available_bits`. The extra symbol avoids puncturing
/// too many parity bits (step d).
///
/// `payload_bits` is N_pld and `available_bits` is N_avbits before that step.
pub(super) fn needs_extra_symbol(payload_bits: u64, available_bits: u64, rate: CodeRate) -> bool {
    let (codewords, length) = codewords(payload_bits, available_bits, rate);
    let coded_bits = codewords * length;
    let data_bits = rate.of(coded_bits);
    let parity_bits = coded_bits - data_bits;
    let shortened = data_bits.saturating_sub(payload_bits);
    let punctured = coded_bits.saturating_sub(available_bits + shortened);
    // N_punc > 0.1 parity and N_shrt < 1.2 N_punc R / (1 - R), or N_punc > 0.3 parity.
    let barely_shortened = 10 * shortened * (rate.denominator - rate.numerator) < 12 * punctured * rate.numerator;
    (10 * punctured > parity_bits && barely_shortened) || 10 * punctured > 3 * parity_bits
}

/// N_CW and L_LDPC (table 19-16).
fn codewords(payload_bits: u64, available_bits: u64, rate: CodeRate) -> (u64, u64) {
    let fits_after = |parity: u64| available_bits >= payload_bits + (parity - rate.of(parity));
    match available_bits {
        0..=648 => (1, if fits_after(912) { 1296 } else { 648 }),
        649..=1296 => (1, if fits_after(1464) { 1944 } else { 1296 }),
        1297..=1944 => (1, 1944),
        1945..=2592 => (2, if fits_after(2916) { 1944 } else { 1296 }),
        _ => (payload_bits.div_ceil(rate.of(1944)), 1944),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: CodeRate = CodeRate { numerator: 1, denominator: 2 };
    const FIVE_SIXTHS: CodeRate = CodeRate { numerator: 5, denominator: 6 };

    #[test]
    fn codewords_follow_the_table() {
        // 100 octets at HT MCS 0, 20 MHz: N_pld 816, 32 symbols of 52 coded bits.
        assert_eq!(codewords(816, 1664, HALF), (1, 1944));
        // 40 octets at HT MCS 0: N_pld 336, N_avbits 13 * 52 = 676 < 336 + 732.
        assert_eq!(codewords(336, 676, HALF), (1, 1296));
        // 1500 octets at HT MCS 7, 20 MHz: N_pld 12016, N_avbits 47 * 312: 12016 / 1620 -> 8.
        assert_eq!(codewords(12016, 14664, FIVE_SIXTHS), (8, 1944));
    }

    #[test]
    fn puncturing_adds_a_symbol_by_the_standards_rule() {
        // 8 codewords: 15552 coded, 12960 data, 944 shortened, 15552 - 14664 - 944 < 0: none punctured.
        assert!(!needs_extra_symbol(12016, 14664, FIVE_SIXTHS));
        // Full payload, 7 codewords: 13608 coded, 11340 data, none shortened; 408 of 2268 punctured > 0.1.
        assert!(needs_extra_symbol(11340, 13200, FIVE_SIXTHS));
        // 208 of 2268 punctured is below a tenth.
        assert!(!needs_extra_symbol(11340, 13400, FIVE_SIXTHS));
    }
}
