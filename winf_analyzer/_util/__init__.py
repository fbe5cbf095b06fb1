"""Helpers that know nothing of 802.11: errors, durations, number formats, prefetching."""
