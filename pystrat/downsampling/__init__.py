"""Batches with part of the rows of frequent classes, and the correction of predicted probabilities."""
