"""SQL over a dataset, and the canned queries."""
