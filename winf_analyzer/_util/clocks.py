"""What a time stamp says of its clock."""

EPOCH_NS = 10**17
"""Later times count from 1970 (this is March 1973); clocks of simulators, and those since a computer was started, show
less."""
