"""SQL over a dataset, and the named queries."""
