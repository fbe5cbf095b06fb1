//! Typed indices, and the vectors that only they index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index of one kind of thing.
pub trait Id: Copy {
    /// The id of a position.
    fn from_index(index: usize) -> Self;
    /// The position.
    fn index(self) -> usize;
}

/// Declares a newtype around `u32` that is an [`Id`].
macro_rules! id {
    ($(#[$doc:meta])* $visibility:vis struct $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility struct $name(pub u32);

        impl $crate::index::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(index as u32)
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use id;

id! {
    /// Index of a node in the world.
    pub struct NodeId
}

id! {
    /// Index of a directed link in the world.
    pub struct LinkId
}

id! {
    /// Index of a flow in the world.
    pub struct FlowId
}

id! {
    /// Index of a link among the outgoing links of its node.
    pub struct LocalLink
}

id! {
    /// Index of a transmission on the air.
    pub(crate) struct TransmissionId
}

/// A vector indexed by one kind of id.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, id: PhantomData }
    }
}

impl<I, T, const N: usize> From<[T; N]> for IndexVec<I, T> {
    fn from(items: [T; N]) -> Self {
        Self::from(Vec::from(items))
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Self::from(Vec::from_iter(items))
    }
}

impl<I: Id, T> IndexVec<I, T> {
    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Every item, in the order of ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Every item, to be changed, in the order of ids.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Every id with its item, in order.
    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        self.ids().zip(&self.items)
    }

    /// The item of an id; `None` if there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The item of an id, to be changed; `None` if there is none.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }

    /// Appends an item; returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IndexVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

/// Items that come and go; the id of one that is gone is given again.
#[derive(Debug)]
pub(crate) struct Slab<I, T> {
    items: IndexVec<I, Option<T>>,
    free: Vec<I>,
}

impl<I, T> Default for Slab<I, T> {
    fn default() -> Self {
        Self { items: IndexVec::default(), free: Vec::new() }
    }
}

impl<I: Id, T> Slab<I, T> {
    /// Adds an item; returns its id.
    pub(crate) fn insert(&mut self, item: T) -> I {
        match self.free.pop() {
            Some(id) => {
                self.items[id] = Some(item);
                id
            }
            None => self.items.push(Some(item)),
        }
    }

    /// The item of an id.
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.items.get(id)?.as_ref()
    }

    /// The item of an id, to be changed.
    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id)?.as_mut()
    }

    /// Removes an item.
    pub(crate) fn remove(&mut self, id: I) -> Option<T> {
        let item = self.items.get_mut(id)?.take()?;
        self.free.push(id);
        Some(item)
    }

    /// Every item that is there, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().flatten()
    }

    /// How many items are there.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_removed_items_are_given_again() {
        let mut slab: Slab<LinkId, &str> = Slab::default();
        let [a, b] = ["a", "b"].map(|item| slab.insert(item));
        assert_eq!((slab.remove(a), slab.remove(a), slab.len()), (Some("a"), None, 1));
        assert_eq!((slab.insert("c"), slab.get(a), slab.get(b)), (a, Some(&"c"), Some(&"b")));
    }
}
