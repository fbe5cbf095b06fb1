//! The part of the `saturation` estimator that is solved case by case: [`fixed_point`] has the equations, [`table`]
//! brings stations in from a table and results out; [`rehearsal`] is the simulation, with a table of its own.

pub mod fixed_point;
pub mod rehearsal;
pub mod table;
