"""Rows drawn with equal chances, or by weights and priorities that training may change."""
