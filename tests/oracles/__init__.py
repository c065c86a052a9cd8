"""The papers as plain dicts and loops: the executable specification of river_hier.

Nothing here is fast and nothing imports the library. [H] is Dekel, Keshet & Singer 2004 (Hieron),
[R] is Cesa-Bianchi, Gentile & Zaniboni 2006 (H-RLS), [T] is Cai & Hofmann 2007, [E] is
El-Yaniv & Etzion-Rosenberg 2002.

A taxonomy is a dict `{node: tuple of its parents}` in taxonomy order, root first, with
`parents[root] == ()`; in a tree every other node has one parent, in a DAG perhaps several.
Features are `{name: value}` and weights `{name: weight}`; what is missing is 0.
"""

import importlib
import pkgutil

# All that the modules define is imported here for all tests.
for _module in pkgutil.iter_modules(__path__):
    _found = vars(importlib.import_module(f"{__name__}.{_module.name}"))
    for _name, _thing in _found.items():
        if getattr(_thing, "__module__", None) == f"{__name__}.{_module.name}":
            globals()[_name] = _thing
