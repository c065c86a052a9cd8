"""The taxonomy of paths, as a dict of parents."""

from collections.abc import Hashable

Name = Hashable
Path = tuple[Name, ...]


def places(paths):
    """Every beginning of a path, in the order in which it is met first."""
    found = []
    for path in paths:
        for end in range(1, len(path) + 1):
            if path[:end] not in found:
                found.append(path[:end])
    return found


def names_in_two_places(paths):
    """The names at the end of more than one place."""
    ends = [place[-1] for place in places(paths)]
    return {name for name in ends if ends.count(name) > 1}


def parents_of_paths(paths, root):
    """The parent of every place; that of a place at the top is the root."""
    return {place: place[:-1] if len(place) > 1 else root for place in places(paths)}
