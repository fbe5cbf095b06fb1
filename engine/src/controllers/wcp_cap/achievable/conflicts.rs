//! Which links of a neighbourhood conflict with one of them, by the classes of two links.

use crate::index::NodeId;

use super::Load;

/// The links that conflict with a link, by class.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflicts {
    /// Links of the same transmitter, itself among them.
    pub(super) same: Vec<usize>,
    /// Both ends hear the other transmitter's start: they only collide in the same slot.
    pub(super) coordinated: Vec<usize>,
    /// The transmitter does not hear the other one, but the other receiver's CTS.
    pub(super) near_hidden: Vec<usize>,
    /// Links of which the transmitter hears nothing, in groups that exclude one another, having a transmitter or a
    /// receiver in common.
    pub(super) hidden: Vec<Vec<Hidden>>,
    /// Links that the transmitter hears, in groups that exclude one another.
    pub(super) heard: Vec<Vec<Heard>>,
}

/// A link of which the transmitter hears nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hidden {
    pub(super) link: usize,
    /// The receiver hears its transmitter ("asymmetric topology"), or only its receiver ("far hidden edges").
    pub(super) asymmetric: bool,
}

/// A link that the transmitter hears.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) link: usize,
    /// It hears its transmitter, or its receiver only.
    pub(super) transmitter: bool,
}

impl Conflicts {
    /// Those of one link.
    pub(super) fn new(hears: &impl Fn(NodeId, NodeId) -> bool, loads: &[Load], link: usize) -> Self {
        let mut conflicts = Self::default();
        let mut keys: Vec<(NodeId, bool)> = Vec::new();
        let (transmitter, receiver) = (loads[link].from, loads[link].to);
        for (index, other) in loads.iter().enumerate() {
            if other.from == transmitter {
                conflicts.same.push(index);
                continue;
            }
            let hears_transmitter = hears(transmitter, other.from);
            if hears_transmitter || hears(transmitter, other.to) {
                conflicts.hear(hears, loads, Heard { link: index, transmitter: hears_transmitter });
            }
            let disturbed = hears(receiver, other.from);
            if hears_transmitter {
                // Deaf to the other transmitter, the receiver is not disturbed by it.
                if disturbed {
                    conflicts.coordinated.push(index);
                }
            } else if disturbed && hears(transmitter, other.to) {
                conflicts.near_hidden.push(index);
            } else if disturbed || hears(receiver, other.to) {
                let key = if disturbed { (other.from, true) } else { (other.to, false) };
                let hidden = Hidden { link: index, asymmetric: disturbed };
                match keys.iter().position(|known| *known == key) {
                    Some(group) => conflicts.hidden[group].push(hidden),
                    None => {
                        keys.push(key);
                        conflicts.hidden.push(vec![hidden]);
                    }
                }
            }
        }
        conflicts
    }

    /// Puts a link into the first group whose links all exclude it.
    fn hear(&mut self, hears: &impl Fn(NodeId, NodeId) -> bool, loads: &[Load], heard: Heard) {
        let excludes = |other: &Heard| {
            let (f, g) = (&loads[heard.link], &loads[other.link]);
            f.from == g.from || hears(f.from, g.from) || hears(f.from, g.to) || hears(f.to, g.from)
        };
        match self.heard.iter_mut().find(|group| group.iter().all(excludes)) {
            Some(group) => group.push(heard),
            None => self.heard.push(vec![heard]),
        }
    }
}
