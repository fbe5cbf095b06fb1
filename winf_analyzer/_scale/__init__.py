"""Work on many machines.

::

    collecting            datasets of shards into one
    collected_recordings  of `ingest`
    collected_runs        of `replay` and `sweep`
    grid                  the points of a sweep
    sweeping              what a sweep runs, and its dataset
    engines               where tasks run
    ray_engine            the same tasks on a Ray cluster
"""
