//! Fields with the same meaning for every PHY.

use super::decoding::Decoding;
use super::header::Flags;
use crate::base::octets::{u16_at, u32_at, u64_at, u8_at};
use crate::frame::FrameKind;

/// A field without a column; its size is needed to locate the fields after it.
pub(super) fn skip(_: &mut Decoding<'_>, _: &[u8]) -> Option<()> {
    None
}

/// MAC time of the first bit of the MPDU, microseconds.
pub(super) fn tsft(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    decoding.frame.tsft_us.get_or_insert(u64_at(field, 0)?);
    Some(())
}

/// Properties of the capture and of the frame.
pub(super) fn flags(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    decoding.flags.get_or_insert(Flags(u8_at(field, 0)?));
    Some(())
}

/// Rate in units of 500 kb/s.
pub(super) fn rate(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    decoding.rate_500k.get_or_insert(u8_at(field, 0)?);
    Some(())
}

/// Frequency in MHz and channel flags.
pub(super) fn channel(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let (mhz, flags) = (u16_at(field, 0)?, u16_at(field, 2)?);
    decoding.channel.get_or_insert((mhz, flags));
    Some(())
}

/// The same with 32 flags, whose lower half has the layout of `channel`.
pub(super) fn xchannel(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let (flags, mhz) = (u32_at(field, 0)?, u16_at(field, 4)?);
    decoding.channel.get_or_insert((mhz, (flags & 0xffff) as u16));
    Some(())
}

/// Signal power at the antenna, or total over all antennas, dBm.
pub(super) fn antenna_signal(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let dbm = i8::from_le_bytes([u8_at(field, 0)?]);
    decoding.received = true;
    decoding.word_signal = Some(dbm);
    decoding.frame.signal_dbm.get_or_insert(dbm);
    Some(())
}

/// Noise power at the antenna, dBm.
pub(super) fn antenna_noise(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    decoding.frame.noise_dbm.get_or_insert(i8::from_le_bytes([u8_at(field, 0)?]));
    Some(())
}

/// The antenna to which the present word applies.
pub(super) fn antenna(decoding: &mut Decoding<'_>, _: &[u8]) -> Option<()> {
    decoding.word_antenna = true;
    Some(())
}

/// Only a receiver records this field.
pub(super) fn received(decoding: &mut Decoding<'_>, _: &[u8]) -> Option<()> {
    decoding.received = true;
    Some(())
}

/// Only the transmitter records this field.
pub(super) fn sent(decoding: &mut Decoding<'_>, _: &[u8]) -> Option<()> {
    decoding.sent = true;
    Some(())
}

/// The reference number that the subframes of one A-MPDU share.
pub(super) fn ampdu_status(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    decoding.frame.ampdu_ref.get_or_insert(u32_at(field, 0)?);
    Some(())
}

/// The PPDU carried no PSDU (a sounding NDP), or its PSDU was not captured.
pub(super) fn no_psdu(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    const SOUNDING: u8 = 0;
    decoding.no_psdu = true;
    if u8_at(field, 0)? == SOUNDING {
        decoding.frame.kind = FrameKind::Ndp;
    } else {
        decoding.frame.ppdu.psdu_missing = true;
    }
    Some(())
}

/// The LENGTH field of L-SIG.
pub(super) fn l_sig(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    const LENGTH_KNOWN: u16 = 0x0002;
    let (known, content) = (u16_at(field, 0)?, u16_at(field, 2)?);
    decoding.frame.ppdu.l_sig_length = (known & LENGTH_KNOWN != 0).then_some(content >> 4);
    Some(())
}

/// A timestamp with explicit unit and instant. It replaces TSFT if it has 64 bits and counts microseconds.
pub(super) fn timestamp(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    const MICROSECONDS: u8 = 1;
    const OF_32_BITS: u8 = 0x01;
    let (counter, unit, flags) = (u64_at(field, 0)?, u8_at(field, 10)? & 0x0f, u8_at(field, 11)?);
    if unit == MICROSECONDS && flags & OF_32_BITS == 0 {
        decoding.frame.tsft_us.get_or_insert(counter);
    }
    Some(())
}
