"""Several passes: `replay` repeats a stream's examples, `Replayed` those a model has learned."""

from __future__ import annotations

from .replay import replay
from .replayed import Replayed

__all__ = ["Replayed", "replay"]
