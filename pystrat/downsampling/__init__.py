"""Batches with a part of the frequent strata's rows, and what that does to predicted probabilities."""
