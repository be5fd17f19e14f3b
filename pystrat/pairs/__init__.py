"""Observed pairs, and negatives that were not observed."""
