//! The backoff of a station, counted in whole slots without an event per slot.

use crate::units::Nanos;

/// Remaining slots, and the instant from which they count down.
///
/// While the medium is idle the counter runs from the instant at which all of these lie in the past: DIFS after the
/// medium became idle, EIFS after a corrupted frame, and the draw itself. It runs out `slots` slots later. When the
/// medium becomes busy, the whole slots that elapsed are subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backoff {
    /// Slots left; `None`: nothing was drawn, or it ran out.
    slots: Option<u32>,
    /// No earlier than this.
    from: Nanos,
    /// Only the DIFS before an immediate access: no backoff was drawn.
    immediate: bool,
}

impl Backoff {
    /// Draws so many slots.
    pub(crate) fn draw(&mut self, now: Nanos, slots: u32) {
        *self = Self { slots: Some(slots), from: now, immediate: false };
    }

    /// Waits for the medium to be idle for DIFS, and no longer.
    pub(crate) fn wait_for_difs(&mut self, now: Nanos) {
        *self = Self { slots: Some(0), from: now, immediate: true };
    }

    /// Discards the backoff.
    pub(crate) fn clear(&mut self) {
        self.slots = None;
    }

    /// Whether something is left, or has run out unused.
    pub(crate) fn is_drawn(&self) -> bool {
        self.slots.is_some()
    }

    /// Whether slots are left.
    pub(crate) fn has_slots_left(&self) -> bool {
        self.slots.is_some_and(|slots| slots > 0)
    }

    /// When it runs out if the medium stays idle; `ready`: when the medium has been idle for long enough.
    pub(crate) fn expires_at(&self, ready: Nanos, slot: Nanos) -> Option<Nanos> {
        self.slots.map(|slots| self.from.max(ready) + Nanos::from(slots) * slot)
    }

    /// The medium becomes busy: subtracts the elapsed slots. Returns whether an immediate access was interrupted, so
    /// that a backoff has to be drawn.
    pub(crate) fn freeze(&mut self, now: Nanos, ready: Nanos, slot: Nanos) -> bool {
        let gone = now.saturating_sub(self.from.max(ready)) / slot;
        if let Some(slots) = &mut self.slots {
            *slots = slots.saturating_sub(u32::try_from(gone).unwrap_or(u32::MAX));
        }
        self.slots.is_some() && self.immediate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Nanos = 20;

    #[test]
    fn only_whole_slots_count() {
        let mut backoff = Backoff::default();
        backoff.draw(100, 5);
        assert_eq!(backoff.expires_at(150, SLOT), Some(250));
        assert!(!backoff.freeze(150 + 59, 150, SLOT));
        assert_eq!(backoff.expires_at(1000, SLOT), Some(1000 + 3 * SLOT));
    }

    #[test]
    fn nothing_counts_before_the_medium_was_idle_for_long_enough() {
        let mut backoff = Backoff::default();
        backoff.draw(0, 5);
        backoff.freeze(140, 150, SLOT);
        assert_eq!(backoff.expires_at(200, SLOT), Some(300));
    }

    #[test]
    fn an_interrupted_immediate_access_needs_a_draw() {
        let mut backoff = Backoff::default();
        backoff.wait_for_difs(100);
        assert_eq!(backoff.expires_at(50, SLOT), Some(100));
        assert!(backoff.freeze(120, 150, SLOT));
    }
}
