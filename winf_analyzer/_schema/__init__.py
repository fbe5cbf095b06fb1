"""Every table of a dataset: columns, types, units, meaning."""
