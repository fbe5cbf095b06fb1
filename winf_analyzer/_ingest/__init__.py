"""Recordings into a dataset: inputs, decoding, merging, following, inspection, ground truth."""
