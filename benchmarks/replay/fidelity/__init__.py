"""How faithful replays of recordings are: what a recording of NewReno says against NewReno replayed on it."""
