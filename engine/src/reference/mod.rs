//! What controllers are measured against: idealised allocations that no protocol computed.

pub mod allocation;
pub mod idealized;
pub mod max_min;
