//! Where something is in a world document.

use std::fmt;

/// Where something is: in words, and as the path to it through the document that declares the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    description: String,
    path: Vec<Step>,
}

/// One step of the path: into a table, or into an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of this key.
    Key(&'static str),
    /// The element of this index.
    Index(usize),
}

impl Location {
    /// A table of the document's top.
    #[must_use]
    pub fn new(description: impl Into<String>, key: &'static str) -> Self {
        Self { description: description.into(), path: vec![Step::Key(key)] }
    }

    /// The document itself.
    #[must_use]
    pub fn world() -> Self {
        Self { description: "the world".to_owned(), path: Vec::new() }
    }

    /// The location of a key in it.
    #[must_use]
    pub fn key(&self, key: &'static str) -> Self {
        self.extended_by(Step::Key(key))
    }

    /// The location of an element of it.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.extended_by(Step::Index(index))
    }

    /// The same location, in other words.
    #[must_use]
    pub fn described_as(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }

    /// The path to it.
    #[must_use]
    pub fn path(&self) -> &[Step] {
        &self.path
    }

    fn extended_by(&self, step: Step) -> Self {
        let mut path = self.path.clone();
        path.push(step);
        Self { description: self.description.clone(), path }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.description)
    }
}
