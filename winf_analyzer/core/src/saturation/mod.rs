//! The part of the `saturation` estimator that is solved case by case: [`fixed_point`] has the equations, [`rehearsal`]
//! the simulation; [`table`] and [`rehearsal_table`] bring stations in from a table and results out.

pub mod fixed_point;
pub mod rehearsal;
pub mod rehearsal_table;
pub mod table;
