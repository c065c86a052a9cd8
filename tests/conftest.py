"""How many examples hypothesis tries: `pytest --hypothesis-profile=few` where each one is slow.

Where CI is set in the environment, the same code meets the same examples: a change is judged by
what it does, and surprises are for the people at work on it.
"""

import os

from hypothesis import HealthCheck, settings

# Times say more of the machine than of the code.
settings.register_profile(
    "usual",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.register_profile("few", settings.get_profile("usual"), max_examples=10)
settings.load_profile("usual")

# No tests, and no doctests: `--doctest-modules` would import them all.
collect_ignore = ["bench", "oracles", "support"]
