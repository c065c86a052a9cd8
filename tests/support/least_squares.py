"""What a `LeastSquares` keeps, as its pickles tell."""


def kinds(rls):
    """How each system is solved: dual or primal."""
    return [system[0] for system in rls.saved()[-1]]


def n_instances(rls):
    return len(rls.saved()[-2][0]) - 1
