//! Numbers of media, senders and links that stay the same from chunk to chunk.

use std::collections::HashMap;

/// Numbers given so far; each kind counts from 0.
#[derive(Default)]
pub struct Names {
    media: HashMap<u32, usize>,
    senders: Within,
    links: Within,
}

/// Who an exchange was between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Of the medium.
    pub medium: usize,
    /// Of the sender on that medium, if it is known.
    pub sender: Option<usize>,
    /// Of sender and receiver on that medium, if both are.
    pub link: Option<usize>,
}

impl Names {
    /// The numbers of an exchange.
    pub fn numbers(&mut self, medium: u32, sender: Option<&str>, receiver: Option<&str>) -> Numbers {
        let next = self.media.len();
        let medium = *self.media.entry(medium).or_insert(next);
        let sender = sender.map(|name| self.senders.number(medium, name));
        let link = sender.zip(receiver).map(|(sender, name)| self.links.number(sender, name));
        Numbers { medium, sender, link }
    }
}

/// Numbers of texts within a scope, unique over all scopes.
#[derive(Default)]
struct Within {
    known: HashMap<usize, HashMap<Box<str>, usize>>,
    count: usize,
}

impl Within {
    fn number(&mut self, within: usize, name: &str) -> usize {
        let known = self.known.entry(within).or_default();
        if let Some(&number) = known.get(name) {
            return number;
        }
        let number = self.count;
        known.insert(name.into(), number);
        self.count += 1;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers() {
        let mut names = Names::default();
        let first = names.numbers(4, Some("a"), Some("b"));
        assert_eq!(first, Numbers { medium: 0, sender: Some(0), link: Some(0) });
        assert_eq!(names.numbers(4, Some("a"), None), Numbers { link: None, ..first });
        assert_eq!(names.numbers(4, None, Some("b")), Numbers { sender: None, link: None, ..first });
        assert_eq!(names.numbers(4, Some("b"), Some("a")), Numbers { medium: 0, sender: Some(1), link: Some(1) });
        assert_eq!(names.numbers(9, Some("a"), Some("b")), Numbers { medium: 1, sender: Some(2), link: Some(2) });
        assert_eq!(names.numbers(4, Some("a"), Some("b")), first);
    }
}
