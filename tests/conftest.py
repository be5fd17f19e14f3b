"""Settings for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test asserts a time: neither that of an example, nor that in which examples are made, which on a fresh machine
# begins with hypothesis' own tables of characters.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
