//! Every compression that recordings are read from.

use std::io::Write;

/// Compresses octets into one file.
pub type Pack = fn(&[u8]) -> Vec<u8>;

/// Every compression that is read, by its name.
pub const CODECS: [(&str, Pack); 4] = [("gzip", gzip), ("zstd", zstd), ("lz4", lz4), ("xz", xz)];

pub fn gzip(octets: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(octets: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

pub fn lz4(octets: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().block_size(lz4_flex::frame::BlockSize::Max64KB).content_checksum(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

pub fn xz(octets: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}
