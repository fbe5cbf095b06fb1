//! Builds exchanges from the recording of one radio.

use crate::exchanges::attempts::Attempts;
use crate::exchanges::span::is_on_air;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame};

/// Reconstructs the exchanges that one radio received.
#[derive(Clone, Debug)]
pub struct ExchangeBuilder {
    view: View,
    attempts: Attempts,
}

impl ExchangeBuilder {
    /// Builder for the recording of `observer`, or of an anonymous sniffer.
    pub fn new(observer: Option<Addr>) -> ExchangeBuilder {
        ExchangeBuilder { view: View::new(observer), attempts: Attempts::default() }
    }

    /// Distances between frames may be off by `error_ns`: answers are awaited for longer, and no idle time is known.
    pub fn with_stamp_error(mut self, error_ns: i64) -> ExchangeBuilder {
        self.view.stamp_error_ns = error_ns;
        self
    }

    /// Adds the next frame, timed by [`crate::clock`], in recorded order, and appends the exchanges that it
    /// closes to `rows`. Rows above the MAC, drops and queue events are ignored.
    pub fn push(&mut self, frame: &Frame, rows: &mut Vec<Exchange>) {
        if is_on_air(frame) {
            self.view.listen(frame);
            self.view.push(frame, &mut Sink { attempts: &mut self.attempts, rows });
        }
    }

    /// Appends the exchanges that are still open at the end of the recording.
    pub fn finish(&mut self, rows: &mut Vec<Exchange>) {
        self.view.finish(&mut Sink { attempts: &mut self.attempts, rows });
    }
}
