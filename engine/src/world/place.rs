//! Where in a world something is.

use std::fmt;

/// Where something is: in words, and as the way to it through the document that declares the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    told: String,
    way: Vec<Step>,
}

/// One step of the way: into a table, or into an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of this key.
    Key(&'static str),
    /// The element of this index.
    Index(usize),
}

impl Place {
    /// A table of the document's top.
    #[must_use]
    pub fn new(told: impl Into<String>, key: &'static str) -> Self {
        Self { told: told.into(), way: vec![Step::Key(key)] }
    }

    /// The document itself.
    #[must_use]
    pub fn world() -> Self {
        Self { told: "the world".to_owned(), way: Vec::new() }
    }

    /// The same place further in, at a key.
    #[must_use]
    pub fn key(&self, key: &'static str) -> Self {
        self.further(Step::Key(key))
    }

    /// The same place further in, at an element.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.further(Step::Index(index))
    }

    /// The same place, in other words.
    #[must_use]
    pub fn told(self, told: impl Into<String>) -> Self {
        Self { told: told.into(), ..self }
    }

    /// The way to it.
    #[must_use]
    pub fn way(&self) -> &[Step] {
        &self.way
    }

    fn further(&self, step: Step) -> Self {
        let mut way = self.way.clone();
        way.push(step);
        Self { told: self.told.clone(), way }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.told)
    }
}
