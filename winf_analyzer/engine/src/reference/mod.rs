//! What controllers are measured against: idealised allocations that no protocol computed.

pub mod max_min;
