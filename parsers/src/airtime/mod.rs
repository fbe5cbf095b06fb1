//! How long a frame was on the air.
