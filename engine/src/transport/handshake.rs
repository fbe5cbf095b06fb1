//! The opening of a connection as its source sees it: a SYN and its answer (RFC 9293, sec. 3.5). The third packet of
//! the handshake is the first segment of data.

/// State of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// A SYN has to leave; `again`: an earlier one timed out.
    Due {
        /// Whether it is a retransmission.
        again: bool,
    },
    /// A SYN is in flight.
    Sent,
    /// Data may flow.
    Done,
}

impl Handshake {
    /// Of a flow that begins with a handshake, or does without.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        match wanted {
            true => Self::Due { again: false },
            false => Self::Done,
        }
    }

    /// Whether data may flow.
    #[must_use]
    pub fn is_done(self) -> bool {
        self == Self::Done
    }

    /// Sends the SYN, if one is due; returns whether it is a retransmission.
    pub fn send(&mut self) -> Option<bool> {
        let Self::Due { again } = *self else { return None };
        *self = Self::Sent;
        Some(again)
    }

    /// The retransmission timer fired.
    pub fn on_timeout(&mut self) {
        if *self == Self::Sent {
            *self = Self::Due { again: true };
        }
    }

    /// The answer came.
    pub fn on_answer(&mut self) {
        *self = Self::Done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syn_is_sent_until_it_is_answered() {
        let mut handshake = Handshake::new(true);
        assert_eq!([handshake.send(), handshake.send()], [Some(false), None]);
        handshake.on_timeout();
        assert_eq!([handshake.send(), handshake.send()], [Some(true), None]);
        handshake.on_answer();
        assert!(handshake.is_done() && handshake.send().is_none());
        handshake.on_timeout();
        assert!(handshake.is_done() && Handshake::new(false).is_done());
    }
}
