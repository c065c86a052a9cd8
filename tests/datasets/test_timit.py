"""TIMIT from a few utterances in its publisher's formats, and the free sample of it."""

import collections
import itertools
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from river import preprocessing

from oracles import speech as oracle
from river_hier import datasets, linear_model
from river_hier.datasets import timit
from river_hier.datasets.timit import PHONEMES
from support.corpora import by_depth, never_skipped, real_data, refused
from support.hypothesis_settings import n_examples
from support.timit_corpus import (
    FOLDED,
    LICENSED,
    PHN,
    SAMPLE,
    TESTED,
    riff,
    sound,
    sphere,
    write,
    write_licensed,
    write_sample,
)

for library in ("kaldi_native_fbank", "soundfile"):
    pytest.importorskip(library, reason="speech needs the extra `audio`")

BOTH = (datasets.TIMIT, datasets.TIMITSegments)
each_class = pytest.mark.parametrize("cls", BOTH)


@pytest.fixture
def sample(tmp_path):
    return write_sample(tmp_path / "timit")


def expected(cls, utterances):
    of = oracle.frames if cls is datasets.TIMIT else oracle.segments
    rows = (oracle.with_changes(oracle.cepstra(sound(name).tolist())) for name in utterances)
    return [example for of_one in rows for example in of(of_one, FOLDED)]


def assert_same(stream, examples):
    for (x, y), (x_expected, y_expected) in zip(stream, examples, strict=True):
        assert y == y_expected
        assert x == pytest.approx(x_expected, abs=2e-3)  # single precision inside
        assert list(x) == list(x_expected)
        assert type(x["mfcc_0" if "mfcc_0" in x else "mfcc_0_0"]) is float


# Against loops


@n_examples(10)
@given(st.data())
def test_cepstra_against_loops(data):
    n = data.draw(st.integers(0, 1_100))
    loudest = data.draw(st.sampled_from([0, 1, 300, 32_767]))
    samples = data.draw(arrays(np.int16, n, elements=st.integers(-loudest, loudest)))
    ours = timit.cepstra(samples)
    theirs = oracle.cepstra(samples.tolist())
    assert ours.shape == (len(theirs), 13)
    if theirs:
        np.testing.assert_allclose(ours, theirs, atol=2e-3)


@each_class
def test_examples(cls, sample):
    stream = cls(sample)
    assert_same(stream, expected(cls, SAMPLE))
    assert list(stream) == list(stream)


@each_class
@pytest.mark.parametrize("n", [0, 399, 400])
def test_recordings_without_frames(cls, n, tmp_path):
    write(tmp_path, SAMPLE[:1], lambda samples: riff(samples[:n]), (".wav", ".phn"))
    (tmp_path / SAMPLE[0]).with_suffix(".phn").write_text("0 3000 h#\n" if n else "")
    if n:
        assert len(list(cls(tmp_path))) == (n == 400)
    else:
        with pytest.raises(ValueError, match=r"sa1.phn is empty"):
            list(cls(tmp_path))


@each_class
@pytest.mark.parametrize("order", ["01", "10"])
def test_the_licensed_layout(cls, order, tmp_path, sample):
    write(tmp_path / "licensed", LICENSED, lambda s: sphere(s, order))
    assert list(cls(tmp_path / "licensed")) == list(cls(sample))


# Who speaks


def read(path, **params):
    return [f"{u.speaker}/{u.sentence}" for u in datasets.TIMIT(path, **params).utterances]


def test_parts(tmp_path):
    folder = write_licensed(tmp_path / "test")  # the nearest folder counts
    trained = ["falr0/sa1", "falr0/sx65", "mgrt1/si9"]
    tested = ["felc0/sx36", "majc0/sx115"]
    assert read(folder) == read(folder, subsets=["test", "train"]) == trained + tested
    assert read(folder, subsets=["train"]) == read(folder / "TRAIN") == trained
    assert read(folder, subsets=("test",)) == tested
    assert read(folder / "TEST", subsets=("test",)) == tested
    ones = [list(datasets.TIMITSegments(folder, subsets=[part])) for part in ("train", "test")]
    assert [*ones[0], *ones[1]] == list(datasets.TIMITSegments(folder))
    assert_same(datasets.TIMITSegments(folder), expected(datasets.TIMITSegments, LICENSED + TESTED))


def test_the_sample_is_for_training(sample):
    assert (
        read(sample, subsets=["train"]) == read(sample) == ["falr0/sa1", "falr0/sx65", "mgrt1/si9"]
    )
    assert read(sample, subsets=["test"]) == []
    assert list(datasets.TIMIT(sample, subsets=["test"])) == []


def test_speakers_and_sentences(sample):
    assert read(sample, speakers=["MGRT1"]) == read(sample, speakers={"mgrt1"}) == ["mgrt1/si9"]
    stream = datasets.TIMIT(sample, speakers=iter(["falr0"]))
    assert list(stream) == list(stream)
    assert list(stream) == list(datasets.TIMIT(sample, sentences=["sa", "sx"]))
    assert read(sample, sentences=["si", "sx"]) == ["falr0/sx65", "mgrt1/si9"]


def test_the_core_test_set():
    core = datasets.TIMIT.CORE_TEST
    assert len(core) == len(set(core)) == 24
    assert collections.Counter(name[0] for name in core) == {"m": 16, "f": 8}
    assert all(re.fullmatch("[mf][a-z]{3}[0-9]", name) for name in core)
    assert datasets.TIMITSegments.CORE_TEST is core


@pytest.mark.parametrize("name", ["kaldi-native-fbank", "soundfile"])
def test_without_the_extra(name, sample, monkeypatch):
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    stream = datasets.TIMIT(sample)
    assert len(stream.taxonomy) == 53
    with pytest.raises(ImportError, match=f"^speech needs {name}: pip install 'river-h"):
        next(iter(stream))


# Phonemes


def test_codes():
    assert len(PHONEMES) == 61
    t = datasets.TIMIT().taxonomy
    assert set(PHONEMES.values()) == {*t.leaves, None}
    by_phoneme = collections.defaultdict(set)
    for code, phoneme in PHONEMES.items():
        by_phoneme[phoneme].add(code)
    # Lee and Hon's groups, but for the two that the tree keeps apart
    groups = "uw ux|ah ax ax-h|er axr|ih ix|hh hv|n nx en|m em|ng eng|l el|ao|aa|zh|sh"
    for codes in map(str.split, groups.split("|")):
        assert by_phoneme[codes[0]] == set(codes)
    silence = ["pcl", "tcl", "kcl", "bcl", "dcl", "gcl", "h#", "pau", "epi"]
    assert by_phoneme["silence"] == {*silence}
    assert by_phoneme[None] == {"q"}


def test_the_tree():
    t = datasets.TIMIT().taxonomy
    assert by_depth(t) == [1, 3, 6, 28, 15]
    assert len(t.leaves) == 41
    assert t.path("iy") == ("phonemes", "sonorants", "vowels", "front", "iy")
    assert t.path("dx") == ("phonemes", "obstruents", "plosives", "dx")
    assert t.parent("silence") == t.root
    assert max(t.distance(u, v) for u, v in itertools.combinations(t, 2)) == 7


# The free sample


@pytest.fixture(scope="module")
def real():
    return real_data("timit")


def counted(folder):
    """Frames and segments of each phoneme, from sizes of files and lines of text."""
    frames, segments = collections.Counter(), collections.Counter()
    for path in folder.glob("*/*.phn"):
        n = (path.with_suffix(".wav").stat().st_size - 44) // 2
        for line in path.read_text().splitlines():
            start, end, code = line.split()
            middles = range(200, n - 199, 160)
            frames[code] += sum(int(start) <= at < int(end) for at in middles)
            segments[code] += 1
    return frames, segments


def folded(counts):
    total = collections.Counter()
    for code, n in counts.items():
        total[PHONEMES[code]] += n
    del total[None]
    return total


@pytest.mark.slow
def test_the_real_frames(real):
    stream = datasets.TIMIT(real)
    found = collections.Counter(y for _, y in stream)
    frames, _ = counted(real)
    assert found == folded(frames)
    assert found.total() == 35_907
    assert set(found) == set(stream.taxonomy.leaves)
    assert (found["silence"], found["s"], found["zh"]) == (8_268, 2_315, 41)


@pytest.mark.slow
def test_the_real_segments(real):
    stream = datasets.TIMITSegments(real)
    model = preprocessing.StandardScaler() | linear_model.Hieron(stream.taxonomy)
    found, right = collections.Counter(), 0
    for x, y in stream:
        right += model.predict_one(x) == y
        model.learn_one(x, y)
        found[y] += 1
    _, segments = counted(real)
    assert found == folded(segments)
    assert found.total() == 4_527 == sum(segments.values()) - 105
    assert right / 4_527 > 1.5 * found["silence"] / 4_527  # far better than always the commonest


def said(path, error=ValueError, **params):
    with pytest.raises(error) as raised:
        list(datasets.TIMIT(path, **params))
    return str(raised.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("760 1200", "expected `start end code`, got '760 1200'"),
        ("760 1200 ax ax", "expected `start end code`, got '760 1200 ax ax'"),
        ("ax 760 1200", "expected `start end code`, got 'ax 760 1200'"),
        ("760 12OO ax", "expected `start end code`, got '760 12OO ax'"),
        ("", "expected `start end code`, got ''"),
        ("760 1200 axx", "'axx' is none of TIMIT's 61 codes"),
        ("760 1200 AX", "'AX' is none of TIMIT's 61 codes"),
        ("760 760 ax", "a segment from 760 to 760 has no samples"),
        ("1200 760 ax", "a segment from 1,200 to 760 has no samples"),
        ("-9 760 ax", "the segment starts at -9, the one before ends at 760"),
        ("759 1200 ax", "the segment starts at 759, the one before ends at 760"),
        ("3000 3001 ax", "the segment starts at 3,000, the recording has 3,000 samples"),
    ],
)
def test_broken_transcriptions(sample, line, message):
    path = sample / "dr4-falr0" / "sa1.phn"
    path.write_text("".join(f"{text}\n" for text in [*PHN[:2], line, *PHN[3:]]))
    message = f"dr4-falr0/sa1.phn, line 3: {message}"
    left = refused(lambda e: datasets.TIMIT(sample, on_error=e), message)
    assert len(left) == 3 * 14  # the stop that is left out has none


EXPECTED = "at 16,000 Hz, expected 1 of PCM_16 at 16,000"
SHORTEN = "-s26 pcm,embedded-shorten-v2.00"
UNKNOWN_FORMAT = "cannot be read: File contains data in an unimplemented format."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "{} is no recording, expected NIST SPHERE or RIFF"),
        (b"fLaC\0\0\0\x22", "{} is no recording, expected NIST SPHERE or RIFF"),
        (riff(sound("x"))[:-1], "{} is cut off; delete it and get it again"),
        (riff(sound("x"))[:40], "{} cannot be read: Error in WAV file. No 'data' chunk"),
        (riff(sound("x"))[:9], "{} cannot be read: Format not recognised."),
        (b"RIFF\x24\0\0\0AIFFfmt ", "{} cannot be read: Format not recognised."),
        (riff(sound("x"), channels=2), f"{{}} has 2 channels of PCM_16 {EXPECTED}"),
        (riff(sound("x").astype(np.int8)), f"{{}} has 1 channels of PCM_U8 {EXPECTED}"),
        (riff(sound("x"), rate=8_000), "{} has 1 channels of PCM_16 at 8,000 Hz, expected 1 of"),
        (sphere(sound("x"))[:-1], "{} is cut off; delete it and get it again"),
        (sphere(sound("x"))[:500], "{} cannot be read: Error in NIST file, bad header."),
        (sphere(sound("x"))[:12], "{} cannot be read: Error in NIST file, bad header."),
        (b"NIST_1A\n  what\n", "{} cannot be read: Error in NIST file, bad header."),
        (sphere(sound("x"), sample_count=""), "{} has no whole SPHERE header: no sample_count"),
        (sphere(sound("x"), sample_count="-i -1"), "{} has no whole SPHERE header: no sample_co"),
        (sphere(sound("x"), sample_byte_format="-s2 11"), "{} cannot be read: Error in NIST file"),
        (sphere(sound("x"), sample_coding=SHORTEN), f"{{}} {UNKNOWN_FORMAT} If it is compressed"),
        (sphere(sound("x"), channel_count="-i 2"), f"{{}} has 2 channels of PCM_16 {EXPECTED}"),
    ],
)
def test_broken_recordings(sample, data, message):
    """Nothing of them can be read, so that skipping does not help."""
    (sample / "dr4-falr0" / "sa1.wav").write_bytes(data)
    message = message.format("dr4-falr0/sa1.wav")
    never_skipped(lambda e: datasets.TIMIT(sample, on_error=e), message)


# What is missing


def test_a_missing_recording(sample):
    (sample / "dr4-falr0" / "sx65.wav").unlink()
    start = f"{str(sample)!r} lacks dr4-falr0/sx65.wav; put the folders TRAIN and"
    assert said(sample, FileNotFoundError).startswith(start)


def test_no_transcriptions(tmp_path):
    alone = tmp_path / "sx1.wav"
    alone.write_bytes(riff(sound("x")))
    assert "sx1.wav' lacks *.phn; put" in said(alone, FileNotFoundError)


def test_no_such_speaker(sample):
    message = said(sample, speakers=["mgrt1", "mgrt0"])
    assert message == f"speaker 'mgrt0' is none of the 2 of ('train', 'test') in {str(sample)!r}"


def test_other_wrong_parameters():
    with pytest.raises(ValueError, match=r"^`sentences` must be a list or tuple of some of \('sa'"):
        datasets.TIMITSegments(sentences="sx")
    with pytest.raises(ValueError, match=r"^`speakers` must be a list or tuple of names, got 'fal"):
        datasets.TIMIT(speakers="falr0")
    with pytest.raises(ValueError, match=r"^`speakers` must be .* names, got \[\]"):
        datasets.TIMIT(speakers=[])
    with pytest.raises(ValueError, match=r"^`speakers` must be .* names, got \[1\]"):
        datasets.TIMIT(speakers=[1])
