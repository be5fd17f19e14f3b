"""Hugging Face's accelerate 1.14.0 and 1.15.0."""
