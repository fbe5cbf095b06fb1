"""Measurements beside a peer, each one command. Machines are shared and noisy: the ratios are what counts."""
