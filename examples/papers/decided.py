"""Who decides the claims that are not reproduced or undecided: data, paper or we; and how we know.

By script and claim. The pages show these reasons; a change of one needs no run.
"""

DECIDED: dict[str, dict[str, tuple[str, str]]] = {}
