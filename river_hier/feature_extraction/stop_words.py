"""A list of English stop words."""

from __future__ import annotations

_ARTICLES = "a an the this that these those such same other another each every either neither"
_PRONOUNS = """
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
    it its itself we us our ours ourselves they them their theirs themselves one ones
    who whom whose which what whatever whichever whoever someone something anyone anything
    everyone everything nobody nothing none
"""
_AUXILIARIES = """
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would cannot
"""
_PREPOSITIONS = """
    about above across after against along among around as at before behind below beneath beside
    between beyond by despite down during except for from in inside into near of off on onto out
    outside over per since than through throughout till to toward towards under until up upon via
    with within without
"""
_CONJUNCTIONS = """
    and or nor but yet so if whether because although though unless while whereas when where why how
    both
"""
_ADVERBS = """
    not no only also too very just even still again ever never always often sometimes already almost
    quite rather more most less least much many few some any all several enough now then here there
    thus hence therefore however moreover furthermore otherwise else once
"""

STOP_WORDS = tuple(
    dict.fromkeys(
        " ".join(
            [_ARTICLES, _PRONOUNS, _AUXILIARIES, _PREPOSITIONS, _CONJUNCTIONS, _ADVERBS]
        ).split()
    )
)
"""Articles, pronouns, auxiliaries, prepositions, conjunctions and common adverbs, lower case."""
