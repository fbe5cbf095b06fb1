//! Texts as numbers that stay the same from stretch to stretch.

use std::collections::HashMap;

/// Numbers for texts, each within something that has a number of its own: senders of a medium, receivers of a sender.
#[derive(Default)]
pub struct Names {
    within: HashMap<usize, HashMap<Box<str>, usize>>,
    count: usize,
}

impl Names {
    /// The number of a text; new ones are given the next, counting from 0.
    pub fn number(&mut self, within: usize, name: &str) -> usize {
        let known = self.within.entry(within).or_default();
        if let Some(&number) = known.get(name) {
            return number;
        }
        let number = self.count;
        known.insert(name.into(), number);
        self.count += 1;
        number
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_and_has_another_elsewhere() {
        let mut names = Names::default();
        assert!(names.is_empty());
        assert_eq!([names.number(4, "a"), names.number(4, "b"), names.number(5, "a")], [0, 1, 2]);
        assert_eq!([names.number(5, "a"), names.number(4, "a")], [2, 0]);
        assert_eq!(names.len(), 3);
    }
}
