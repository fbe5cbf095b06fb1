"""Paths over several hops: the stations that packets pass, and estimates of the hops joined to estimates of paths."""
