"""PySpark's TorchDistributor, as apache/spark has it at the commit 0292b63."""
