//! When the timers of a node's interfaces fire.

use std::collections::BTreeSet;

use crate::units::Nanos;

/// One timer per interface; what a question costs does not grow with how many there are.
#[derive(Clone, Debug)]
pub struct Agenda {
    at: Vec<Nanos>,
    order: BTreeSet<(Nanos, usize)>,
}

impl Agenda {
    /// A timer for each of these instants.
    pub fn new(at: impl IntoIterator<Item = Nanos>) -> Self {
        let at: Vec<_> = at.into_iter().collect();
        let order = at.iter().enumerate().map(|(interface, &at)| (at, interface)).collect();
        Self { at, order }
    }

    /// When the first one fires.
    #[must_use]
    pub fn next(&self) -> Option<Nanos> {
        self.order.first().map(|&(at, _)| at)
    }

    /// The interfaces whose timers have fired at `now`, in order.
    #[must_use]
    pub fn due(&self, now: Nanos) -> Vec<usize> {
        let fired = self.order.iter().take_while(|&&(at, _)| at <= now);
        let mut due: Vec<_> = fired.map(|&(_, interface)| interface).collect();
        due.sort_unstable();
        due
    }

    /// When each fires.
    #[cfg(test)]
    pub(super) fn instants(&self) -> &[Nanos] {
        &self.at
    }

    /// The timer of an interface fires at another instant.
    pub fn set(&mut self, interface: usize, at: Nanos) {
        if let Some(before) = self.at.get_mut(interface) {
            self.order.remove(&(*before, interface));
            self.order.insert((at, interface));
            *before = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_that_have_fired_come_in_the_order_of_interfaces() {
        let mut agenda = Agenda::new([30, 20, 10, 40]);
        assert_eq!((agenda.next(), agenda.due(9), agenda.due(30)), (Some(10), vec![], vec![0, 1, 2]));
        agenda.set(2, 50);
        assert_eq!((agenda.next(), agenda.due(30), agenda.due(50)), (Some(20), vec![0, 1], vec![0, 1, 2, 3]));
        assert_eq!(Agenda::new([]).next(), None);
    }
}
