"""A few stories in the formats of the publisher of Reuters-21578."""

import datetime

CATEGORIES = """\
Some notes on the Reuters Categories

  TOPICS                         7
*********************************************************************

****Subject Codes (7)

Money/Foreign Exchange (MONEY-FX)
Shipping (SHIP)

**Commodity Codes (3)

COCOA
GOLD \nL-CATTLE

**Energy Codes (2)

Crude Oil (CRUDE)
Petro-Chemicals (PET-CHEM)

________________________________________________________________

@heading[Organization Codes (56)]
African Development Bank (ADB-AFRICA)@*
"""
PATHS = [
    ("money-fx",),
    ("ship",),
    ("Commodity Codes", "cocoa"),
    ("Commodity Codes", "gold"),
    ("Commodity Codes", "l-cattle"),
    ("Energy Codes", "crude"),
    ("Energy Codes", "pet-chem"),
]

STORY = """\
<REUTERS TOPICS="{TOPICS}" LEWISSPLIT="{LEWISSPLIT}" CGISPLIT="{CGISPLIT}" OLDID="9" NEWID="9">
<DATE>{date}</DATE>
<MKNOTE>typo corrected</MKNOTE>
<TOPICS>{topics}</TOPICS>
<PLACES><D>usa</D></PLACES>
<PEOPLE></PEOPLE>
<UNKNOWN> \n&#5;&#5;&#5;C T
&#22;&#22;&#1;f0704&#31;reute
</UNKNOWN>
{text}
</REUTERS>
"""
NORMAL = """\
<TEXT>&#2;
<TITLE>{title}</TITLE>
<AUTHOR>    By X, Reuters</AUTHOR>
<DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>{body}
 Reuter
&#3;</BODY></TEXT>"""
BRIEF = '<TEXT TYPE="BRIEF">&#2;\n******<TITLE>{title}\n</TITLE>Blah\n&#3;\n\n</TEXT>'
UNPROC = '<TEXT TYPE="UNPROC">&#2;\n{body}\n&#3;</TEXT>'


def story(text=NORMAL, topics="", date="26-FEB-1987 15:01:01.79", **fields):
    marks = {"TOPICS": "YES", "LEWISSPLIT": "TRAIN", "CGISPLIT": "TRAINING-SET"}
    marks |= {name: fields.pop(name) for name in marks if name in fields}
    tagged = "".join(f"<D>{topic}</D>" for topic in topics.split())
    return STORY.format(date=date, topics=tagged, text=text.format(**fields), **marks)


STORIES = [
    story(
        topics="cocoa", title="BAHIA &lt;COCOA> REVIEW", body="Showers\n    AT&T &amp;lt; &notes"
    ),
    story(
        topics="crude ship", date=" 1-MAR-1987  01:10:00.0&#5;&#5;&#5;F", text=BRIEF, title="OIL"
    ),
    story(text=UNPROC, body="1. GOLD &#127;  2\n3", LEWISSPLIT="TEST", topics="gold gold"),
    story(title="", body="", LEWISSPLIT="NOT-USED", CGISPLIT="PUBLISHED-TESTSET"),
    story(title="A", body="B", TOPICS="BYPASS", date="20-OCT-1987 605:12:19.12"),
    story(title="C", body="D", TOPICS="NO", LEWISSPLIT="TEST", topics="money-fx"),
]
XS = [
    {"title": "BAHIA <COCOA> REVIEW", "body": "Showers\n    AT&T &lt; &notes\n Reuter"},
    {"title": "OIL", "body": ""},
    {"title": "", "body": "1. GOLD   2\n3"},
    {"title": "", "body": "Reuter"},
    {"title": "A", "body": "B\n Reuter"},
    {"title": "C", "body": "D\n Reuter"},
]
for i, x in enumerate(XS):
    days = {1: datetime.date(1987, 3, 1), 4: datetime.date(1987, 10, 20)}
    XS[i] = {"date": days.get(i, datetime.date(1987, 2, 26)), **x}
YS = [
    {"Commodity Codes", "cocoa"},
    {"ship", "Energy Codes", "crude"},
    {"Commodity Codes", "gold"},
    set(),
    set(),
    {"money-fx"},
]
ALL = ("train", "test", "unused")


def write_stories(path, stories):
    doctype = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
    path.write_bytes((doctype + "".join(stories)).encode("latin-1"))


def write_corpus(path):
    path.mkdir(exist_ok=True)
    (path / "cat-descriptions_120396.txt").write_text(CATEGORIES)
    (path / "README.txt").write_text("no stories here")
    write_stories(path / "reut2-000.sgm", STORIES[:4])
    write_stories(path / "reut2-001.sgm", STORIES[4:])
    return path
