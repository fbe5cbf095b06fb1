"""Kinds of world that the accuracy study has not: beacons, multicast, wide channels, loads that change, and more."""
