"""How many examples hypothesis tries: `pytest --hypothesis-profile=few` where each one is slow."""

from hypothesis import settings

settings.register_profile("few", max_examples=10)
