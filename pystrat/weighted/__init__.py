"""Rows drawn uniformly, or by weights and priorities that training may change."""
