"""How many examples hypothesis tries: `pytest --hypothesis-profile=few` where each one is slow."""

from hypothesis import settings

# Times say more of the machine than of the code.
settings.register_profile("usual", deadline=None)
settings.register_profile("few", deadline=None, max_examples=10)
settings.load_profile("usual")
