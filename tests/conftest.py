"""Settings for all tests."""

from __future__ import annotations

import multiprocessing

from hypothesis import HealthCheck, settings

# No test asserts a time: neither that of an example, nor that in which examples are made, which on a fresh machine
# begins with hypothesis' own tables of characters.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# Where workers start by a fork server, as on Linux from Python 3.14 on, each would spend seconds on importing torch.
multiprocessing.set_forkserver_preload(["numpy", "pandas", "torch.utils.data"])
