"""An HTTP service around any model, which learns: `python -m river_hier.serve model.pkl`."""

from __future__ import annotations

from .service import serve

__all__ = ["serve"]
