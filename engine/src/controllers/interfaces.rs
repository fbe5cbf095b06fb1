//! The interfaces of a node. A wire is one; all links of the radio are one, as they share its queue and its medium.

use crate::controller::{LinkSetup, LinkView, NodeView};
use crate::cross_layer::CrossLayer;
use crate::index::{IndexVec, LocalLink};

/// Which links belong to which interface, and the recent bytes of each link.
#[derive(Clone, Debug, PartialEq)]
pub struct Interfaces {
    interface_of_link: IndexVec<LocalLink, usize>,
    links: Vec<Vec<LocalLink>>,
    recent_bytes: IndexVec<LocalLink, f64>,
}

impl Interfaces {
    /// Of a node with these links.
    #[must_use]
    pub fn new(links: &IndexVec<LocalLink, LinkSetup>) -> Self {
        let (mut members, mut radio): (Vec<Vec<LocalLink>>, Option<usize>) = (Vec::new(), None);
        let mut interface_of_link = IndexVec::default();
        for (index, link) in links.enumerate() {
            let interface = radio.filter(|_| !link.wired).unwrap_or(members.len());
            if interface == members.len() {
                members.push(Vec::new());
            }
            radio = radio.or((!link.wired).then_some(interface));
            members[interface].push(index);
            interface_of_link.push(interface);
        }
        Self { interface_of_link, links: members, recent_bytes: vec![0.0; links.len()].into() }
    }

    /// What is known of each before the run: its first link, and the largest queue.
    #[must_use]
    pub fn setups(&self, links: &IndexVec<LocalLink, LinkSetup>) -> Vec<LinkSetup> {
        let setup = |members: &Vec<LocalLink>| {
            let first = links.get(*members.first()?)?;
            let queue_packets = members.iter().filter_map(|&link| links.get(link)?.queue_packets).max();
            Some(LinkSetup { queue_packets, ..first.clone() })
        };
        self.links.iter().filter_map(setup).collect()
    }

    /// The interface of a link.
    #[must_use]
    pub fn of(&self, link: LocalLink) -> Option<usize> {
        self.interface_of_link.get(link).copied()
    }

    /// Names the links of an interface.
    pub fn look(&self, interface: usize, see: &mut dyn FnMut(LocalLink)) {
        self.links.get(interface).into_iter().flatten().for_each(|&link| see(link));
    }

    /// A packet for a link came in.
    pub fn count(&mut self, link: LocalLink, bytes: f64) {
        if let Some(recent) = self.recent_bytes.get_mut(link) {
            *recent += bytes;
        }
    }

    /// What came in counts half from now on.
    pub fn age(&mut self, interface: usize) {
        for &link in self.links.get(interface).into_iter().flatten() {
            self.recent_bytes[link] /= 2.0;
        }
    }

    /// The interface as one link: its queue, and the capacity for its recent mix of traffic, that is
    /// all bytes over the time they take at the capacities of their links.
    #[must_use]
    pub fn view(&self, interface: usize, node: &NodeView) -> LinkView {
        let links = self.links.get(interface).into_iter().flatten();
        let members = || links.clone().filter_map(|&link| Some((self.recent_bytes[link], node.links.get(link)?)));
        LinkView {
            queue_bytes: members().map(|(_, link)| link.queue_bytes).sum(),
            queue_packets: members().map(|(_, link)| link.queue_packets).sum(),
            cross_layer: mix(members().map(|(bytes, link)| (bytes, link.cross_layer))),
        }
    }
}

fn mix(links: impl Iterator<Item = (f64, CrossLayer)>) -> CrossLayer {
    let (mut latest, mut known) = (CrossLayer::default(), 0);
    let (mut bytes, mut time_s, mut collided) = (0.0, 0.0, 0.0);
    for (carried, link) in links {
        let Some(capacity) = link.capacity_bytes_per_s.filter(|&capacity| capacity > 0.0) else { continue };
        if known == 0 || link.measured_at > latest.measured_at {
            latest = link;
        }
        known += 1;
        bytes += carried;
        time_s += carried / capacity;
        collided += carried * link.collision_probability;
    }
    if known < 2 || bytes <= 0.0 {
        return latest;
    }
    let capacity = bytes / time_s;
    let idle = latest.available_bytes_per_s.zip(latest.capacity_bytes_per_s).map(|(spare, whole)| spare / whole);
    CrossLayer {
        capacity_bytes_per_s: Some(capacity),
        available_bytes_per_s: idle.map(|idle| idle * capacity),
        collision_probability: collided / bytes,
        ..latest
    }
}

#[cfg(test)]
mod tests {
    use super::super::capacity::tests::link;
    use super::*;

    fn measured(capacity: f64, available: f64) -> LinkView {
        let cross_layer = CrossLayer {
            capacity_bytes_per_s: Some(capacity),
            available_bytes_per_s: Some(available),
            measured_at: Some(1),
            ..CrossLayer::default()
        };
        LinkView { queue_bytes: 1000, queue_packets: 1, cross_layer }
    }

    #[test]
    fn links_of_the_radio_are_one_interface() {
        let links = IndexVec::from([link(1, true), link(2, false), link(3, true), link(4, false)]);
        let interfaces = Interfaces::new(&links);
        let of: Vec<_> = (0..5).map(|link| interfaces.of(LocalLink(link))).collect();
        assert_eq!(of, [Some(0), Some(1), Some(2), Some(1), None]);
        let rates: Vec<_> = interfaces.setups(&links).iter().map(|setup| setup.rate_bps).collect();
        assert_eq!(rates, [1, 2, 3]);
    }

    #[test]
    fn the_capacity_is_that_of_the_mix() {
        let mut interfaces = Interfaces::new(&[link(1, false), link(1, false)].into());
        interfaces.count(LocalLink(0), 900.0);
        interfaces.count(LocalLink(1), 100.0);
        interfaces.age(0);
        let links = [measured(9e5, 4.5e5), measured(1e5, 5e4)].into();
        let view = interfaces.view(0, &NodeView { links: &links });
        assert_eq!((view.queue_bytes, view.queue_packets), (2000, 2));
        let mixed = view.cross_layer;
        assert!(mixed.capacity_bytes_per_s.is_some_and(|capacity| (capacity - 5e5).abs() < 1e-6));
        assert!(mixed.available_bytes_per_s.is_some_and(|available| (available - 2.5e5).abs() < 1e-6));
    }

    #[test]
    fn one_known_link_stands_for_itself() {
        let interfaces = Interfaces::new(&[link(1, false), link(1, false)].into());
        let links = IndexVec::from([LinkView::default(), measured(9e5, 4.5e5)]);
        assert_eq!(interfaces.view(0, &NodeView { links: &links }).cross_layer, links[LocalLink(1)].cross_layer);
    }
}
