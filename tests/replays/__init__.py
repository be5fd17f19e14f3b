"""What training libraries do to a batch sampler, for machines without these libraries.

Each module has the name of the library's own module and does, in the order of its source, what it does to a sampler.
"""
