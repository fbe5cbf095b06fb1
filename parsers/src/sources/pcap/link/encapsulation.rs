//! What stands in front of the MAC frame.

/// What stands in front of the MAC frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encapsulation {
    Radiotap,
    Bare,
    Prism,
    Avs,
    Ppi,
    Cooked(CookedVersion),
}

/// The header of a Linux cooked capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CookedVersion {
    /// LINKTYPE_LINUX_SLL.
    One,
    /// LINKTYPE_LINUX_SLL2.
    Two,
}
