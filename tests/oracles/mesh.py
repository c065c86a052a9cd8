"""Which headings of MeSH are kept and what a heading switches on, path by path."""


def parents(lines, root):
    """Of each heading below a tree number those right above it."""
    headings = {number: heading for heading, number in lines}
    above = {}
    for heading, number in lines:
        if number.startswith(root + "."):
            above.setdefault(heading, set()).add(headings[number[: number.rindex(".")]])
    return above


def paths(above, heading):
    """All paths from the root down to a heading, the root left out."""
    if heading not in above:
        return [[]]
    return [[*path, heading] for parent in above[heading] for path in paths(above, parent)]


def kept(lines, root):
    """The headings to which only one path leads."""
    above = parents(lines, root)
    return {heading for heading in above if len(paths(above, heading)) == 1}


def switched_on(lines, root, headings, kept):
    """The headings kept on the paths to those of a record."""
    above = parents(lines, root)
    return {node for heading in headings for path in paths(above, heading) for node in path} & kept
