"""Loaders that continue training where it stopped, and batch samplers in several processes."""
