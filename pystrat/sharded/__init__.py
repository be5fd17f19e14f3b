"""Stratified batches of data whose files, or processes, each hold a part of the rows."""
