//! A value for each group of frames.

use std::ops::{Index, IndexMut};

use super::convention::Group;

/// A value for each [`Group`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ByGroup<T>([T; Group::COUNT]);

impl<T: Copy> ByGroup<T> {
    /// The same value for all.
    pub(super) const fn of(value: T) -> ByGroup<T> {
        ByGroup([value; Group::COUNT])
    }

    /// The values, in the order of [`Group::all`].
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().copied()
    }
}

#[expect(clippy::indexing_slicing, reason = "the index of a group is below COUNT, as a test of groups holds")]
mod indexing {
    use super::{ByGroup, Group, Index, IndexMut};

    impl<T> Index<Group> for ByGroup<T> {
        type Output = T;

        fn index(&self, group: Group) -> &T {
            &self.0[group.index()]
        }
    }

    impl<T> IndexMut<Group> for ByGroup<T> {
        fn index_mut(&mut self, group: Group) -> &mut T {
            &mut self.0[group.index()]
        }
    }
}
