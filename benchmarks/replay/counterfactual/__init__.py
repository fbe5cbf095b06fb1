"""Counterfactual predictions beside simulators that really ran the other thing."""
