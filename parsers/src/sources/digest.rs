//! SHA-256 of a recording, taken from the octets that its reader consumes.
//!
//! A file hashed by a second pass may have grown, shrunk or been replaced since it was decoded.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// Length and hash of the content of a file, as it is stored (compressed, where it is compressed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Length, octets.
    pub bytes: u64,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
}

/// Where the octets that are read are counted and hashed.
#[derive(Clone, Default)]
pub(super) struct Tap(Arc<Mutex<(Sha256, u64)>>);

impl Tap {
    fn add(&self, octets: &[u8]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.update(octets);
        state.1 += octets.len() as u64;
    }

    pub fn digest(&self) -> Digest {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sha256 = state.0.clone().finalize().iter().map(|octet| format!("{octet:02x}")).collect();
        Digest { bytes: state.1, sha256 }
    }
}

/// A source of octets that hashes what is read from it.
pub(super) struct Tapped<R> {
    source: R,
    tap: Tap,
}

impl<R: Read> Tapped<R> {
    pub fn new(source: R, tap: Tap) -> Tapped<R> {
        Tapped { source, tap }
    }
}

impl<R: Read> Read for Tapped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let octets = self.source.read(buffer)?;
        self.tap.add(buffer.get(..octets).unwrap_or_default());
        Ok(octets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_what_was_read() {
        let tap = Tap::default();
        let mut source = Tapped::new(&b"abcdef"[..], tap.clone());
        let mut three = [0; 3];
        source.read_exact(&mut three).unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // FIPS 180-2, B.1
        assert_eq!(tap.digest(), Digest { bytes: 3, sha256: abc.to_owned() });
    }
}
