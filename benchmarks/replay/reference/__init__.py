"""Recorded results of other simulators, and the programs that recorded them."""
