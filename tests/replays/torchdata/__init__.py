"""torchdata, as far as its StatefulDataLoader is replayed."""
