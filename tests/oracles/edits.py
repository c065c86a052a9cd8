"""Edits of a taxonomy of names, change by change, on `{label: parents}` and plain lists."""


def edited(parents, changes):
    """The parents of each label after the changes, and what each old label has become.

    A `ValueError` if a change is impossible.
    """
    parents = {v: tuple(above) for v, above in parents.items()}
    became = {v: v for v in parents}

    def children(v):
        return [u for u in parents if v in parents[u]]

    def ancestors(v):
        found = set()
        for u in parents[v]:
            found |= {u} | ancestors(u)
        return found

    def known(v):
        if v not in parents:
            raise ValueError(f"{v} is unknown")
        return v

    def replace(old, new):
        """Children, examples and their labels of one node become those of another."""
        for u in children(old):
            above = dict.fromkeys(new if p == old else p for p in parents[u])
            parents[u] = tuple(above)
        for label, now in became.items():
            became[label] = new if now == old else now

    def free(label):
        if label in parents:
            raise ValueError(f"{label} is taken")
        return label

    for change in changes:
        if "retire" in change:
            v = known(change["retire"])
            if len(parents[v]) != 1:
                raise ValueError("no single parent")
            replace(v, parents[v][0])
            del parents[v]
            continue
        (verb,), to = change.keys() - {"to"}, change["to"]
        what = change[verb]
        if verb == "rename":
            if known(what) != to:
                parents[free(to)] = parents[what]
                replace(what, to)
                del parents[what]
        elif verb == "move":
            if not parents[known(what)] or known(to) == what or what in ancestors(to):
                raise ValueError("a cycle")
            parents[what] = (to,)
        elif verb == "split":
            if children(known(what)):
                raise ValueError("no leaf")
            for label in to:
                parents[free(label)] = (what,)
        else:
            nodes = [*dict.fromkeys(([to] if to in parents else []) + [known(v) for v in what])]
            if any(not parents[v] or ancestors(v) & set(nodes) for v in nodes):
                raise ValueError("the root, or one below another")
            first, *others = nodes
            for v in others:
                replace(v, first)
                del parents[v]
            if to != first:
                parents[free(to)] = parents[first]
                replace(first, to)
                del parents[first]
    return parents, became
