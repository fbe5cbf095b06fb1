"""The dataset on disk, and the tables that follow from frames alone."""
