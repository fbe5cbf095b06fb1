"""Replay beside other simulators and the papers: each module is one study and prints one table."""
