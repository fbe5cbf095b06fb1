//! Exchanges out of one radio's recording.

use crate::exchanges::attempts::Attempts;
use crate::exchanges::span::is_on_air;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::Exchange;
use crate::frame::{Addr, Frame};

/// Rebuilds the exchanges that one radio heard.
#[derive(Clone, Debug)]
pub struct ExchangeBuilder {
    view: View,
    attempts: Attempts,
}

impl ExchangeBuilder {
    /// For the recording of `observer`, or of an anonymous sniffer.
    pub fn new(observer: Option<Addr>) -> ExchangeBuilder {
        ExchangeBuilder { view: View::new(observer), attempts: Attempts::default() }
    }

    /// Takes the next frame, timed by [`crate::clock`], in recorded order, and appends the exchanges
    /// that are over to `rows`. Rows above the MAC, drops and queue events are passed over.
    pub fn push(&mut self, frame: &Frame, rows: &mut Vec<Exchange>) {
        if is_on_air(frame) {
            self.view.push(frame, &mut Sink { attempts: &mut self.attempts, rows });
        }
    }

    /// Appends what is still in progress at the end of the recording.
    pub fn finish(&mut self, rows: &mut Vec<Exchange>) {
        self.view.finish(&mut Sink { attempts: &mut self.attempts, rows });
    }
}
