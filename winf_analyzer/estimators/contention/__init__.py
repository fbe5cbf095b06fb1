"""Contention for the medium: Bianchi's model, the backoff, attempts that failed, and why they did."""
