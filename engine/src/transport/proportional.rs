//! Proportional rate reduction: how much may leave for each acknowledgement of a fast recovery (RFC 6937).
//!
//! The window goes down to the threshold in step with what is delivered, where RFC 6675 waits until so much has left the
//! network. Below the threshold only as much leaves as was delivered, and one segment more for each acknowledgement that
//! shows that a retransmission has arrived: that slow start begins with the first such, as in Linux and ns-3, and not
//! with the recovery.

/// One fast recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportional {
    /// Outstanding when it began, bytes: RecoverFS.
    flight: u64,
    /// Arrived since, bytes: prr_delivered.
    delivered: u64,
    /// Sent since, bytes: prr_out.
    sent: u64,
    /// What the window goes down to, bytes.
    threshold: u64,
    /// What may be in flight, bytes.
    window: u64,
    /// Whether the product of what arrived and the threshold is kept in 32 bits.
    wraps: bool,
}

/// An acknowledgement of a fast recovery.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// In flight after it, bytes.
    pub pipe: u64,
    /// What arrived, bytes.
    pub delivered: u64,
    /// Whether the cumulative number covers a retransmission that had not been acknowledged yet.
    pub repairs: bool,
}

impl Proportional {
    /// A recovery begins with so many bytes outstanding, the window goes down to so many. `wraps`: the product of what
    /// arrives and the threshold is kept in 32 bits, as ns-3.37 does.
    #[must_use]
    pub fn new(flight: u64, threshold: u64, wraps: bool) -> Self {
        Self { flight: flight.max(1), delivered: 0, sent: 0, threshold, window: threshold, wraps }
    }

    /// What may be in flight, bytes.
    #[must_use]
    pub fn window(&self) -> u64 {
        self.window
    }

    /// What the window goes down to, bytes.
    #[must_use]
    pub fn threshold(&self) -> u64 {
        self.threshold
    }

    /// So many bytes left.
    pub fn on_sent(&mut self, bytes: u64) {
        self.sent += bytes;
    }

    /// An acknowledgement came; that which began the recovery is the first one.
    pub fn on_ack(&mut self, ack: Delivery, segment: u64) {
        self.delivered += ack.delivered;
        let more = if ack.pipe > self.threshold {
            let product = u128::from(self.delivered) * u128::from(self.threshold);
            let product = if self.wraps { product & u128::from(u32::MAX) } else { product };
            (product.div_ceil(u128::from(self.flight)) as u64).saturating_sub(self.sent)
        } else {
            let bound = match ack.repairs {
                true => self.delivered.saturating_sub(self.sent).max(ack.delivered) + segment,
                false => ack.delivered,
            };
            bound.min(self.threshold - ack.pipe)
        };
        // The fast retransmission itself needs no room.
        let least = if self.sent > 0 { 0 } else { segment };
        self.window = ack.pipe + more.max(least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    fn plain(pipe: u64) -> Delivery {
        Delivery { pipe, delivered: SEGMENT, repairs: false }
    }

    /// Sends as the window allows, and returns what left for each of `acks` that deliver a segment.
    fn sends(reduction: &mut Proportional, mut pipe: u64, acks: usize) -> Vec<u64> {
        (0..acks)
            .map(|_| {
                pipe -= SEGMENT;
                reduction.on_ack(plain(pipe), SEGMENT);
                let left = reduction.window().saturating_sub(pipe) / SEGMENT;
                reduction.on_sent(left * SEGMENT);
                pipe += left * SEGMENT;
                left
            })
            .collect()
    }

    /// RFC 6937, sec. 4: with one loss out of 20 every second acknowledgement lets a segment out, from the first on.
    #[test]
    fn every_second_acknowledgement_lets_one_out() {
        let mut reduction = Proportional::new(20 * SEGMENT, 10 * SEGMENT, false);
        let left = sends(&mut reduction, 20 * SEGMENT, 12);
        assert_eq!(left, [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        let mut gentle = Proportional::new(20 * SEGMENT, 14 * SEGMENT, false);
        assert_eq!(sends(&mut gentle, 20 * SEGMENT, 10).iter().sum::<u64>(), 7, "seven tenths of what arrives");
    }

    /// Where much was lost only as much leaves as arrives, until a retransmission is known to have arrived.
    #[test]
    fn below_the_threshold_what_arrives_is_replaced_until_a_retransmission_arrives() {
        let mut reduction = Proportional::new(20 * SEGMENT, 10 * SEGMENT, false);
        reduction.on_sent(SEGMENT);
        for _ in 0..3 {
            reduction.on_ack(plain(4 * SEGMENT), SEGMENT);
            assert_eq!(reduction.window(), 5 * SEGMENT);
            reduction.on_sent(SEGMENT);
        }
        reduction.on_ack(Delivery { repairs: true, ..plain(4 * SEGMENT) }, SEGMENT);
        assert_eq!(reduction.window(), 6 * SEGMENT);
        reduction.on_ack(Delivery { repairs: true, ..plain(9_500) }, SEGMENT);
        assert_eq!(reduction.window(), 10 * SEGMENT, "not beyond the threshold");
    }

    /// 413 500 bytes are the threshold, and of 827 segments 11 have arrived: their product is 2^32 and some.
    #[test]
    fn in_32_bits_a_few_leave_and_then_none() {
        let left = |wraps| {
            let mut reduction = Proportional::new(827 * SEGMENT, 413_500, wraps);
            sends(&mut reduction, 827 * SEGMENT, 300).iter().sum::<u64>()
        };
        assert_eq!((left(false), left(true)), (150, 5));
    }
}
