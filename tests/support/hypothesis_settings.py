"""How many examples hypothesis tries: few in a fast run, the number at each test with `--slow`."""

from hypothesis import HealthCheck, settings

FEW = 6


def n_examples(n, **parameters):
    """At most `n` examples; at most `FEW` where the profile is "few"."""
    return settings(max_examples=min(n, FEW) if settings().max_examples == FEW else n, **parameters)


def register_profiles(derandomize):
    """Profiles "usual" and "few"; without deadlines, because machines differ in speed."""
    settings.register_profile(
        "usual",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=derandomize,
    )
    settings.register_profile("few", settings.get_profile("usual"), max_examples=FEW)
