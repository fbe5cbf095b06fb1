"""MAC parameters found in simulations, against the truth."""
