//! How many of how many.

/// Cases of a rule, and those in which it held (of overlaps: those in which it did not).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) held: u64,
    pub(super) cases: u64,
}

impl Share {
    pub(super) fn count(&mut self, holds: bool) {
        self.held += u64::from(holds);
        self.cases += 1;
    }

    pub(super) fn value(&self) -> Option<f64> {
        (self.cases > 0).then(|| self.held as f64 / self.cases as f64)
    }
}
