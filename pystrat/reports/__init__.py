"""Advice on settings, and tables and pictures of what the batches hold."""
