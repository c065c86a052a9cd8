"""What TIMIT says of files that are broken, foreign, cut off or missing."""

from __future__ import annotations

import gzip
import re
import runpy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import datasets
from support.hypothesis_settings import n_examples
from support.paths import DATA, ROOT
from support.timit_corpus import LICENSED, PHN, SAMPLE, riff, sound, sphere, write, write_sample

pytest.importorskip("kaldi_native_fbank", reason="speech needs the extra `audio`")


@pytest.fixture
def folder(tmp_path):
    return write_sample(tmp_path / "timit")


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
def test_broken_transcriptions(folder, line, message):
    path = folder / "dr4-falr0" / "sa1.phn"
    path.write_text("".join(f"{text}\n" for text in [*PHN[:2], line, *PHN[3:]]))
    assert said(folder) == f"dr4-falr0/sa1.phn, line 3: {message}"
    stream = datasets.TIMIT(folder, on_error="skip")
    assert len(list(stream)) == 3 * 14  # the stop that is left out has none
    assert (stream.n_skipped, stream.skipped) == (1, (f"dr4-falr0/sa1.phn, line 3: {message}",))


def test_text_that_is_not_ascii(folder):
    (folder / "dr4-falr0" / "sa1.phn").write_bytes("0 700 ä\n".encode())
    message = said(folder, on_error="skip")
    assert message.startswith("dr4-falr0/sa1.phn is not text after line 0: 'ascii' codec can't")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "{} is no recording, expected NIST SPHERE or RIFF"),
        (b"fLaC\0\0\0\x22", "{} is no recording, expected NIST SPHERE or RIFF"),
        (riff(sound("x"))[:-1], "{} is cut off; delete it and get it again"),
        (riff(sound("x"))[:40], "{} is "),
        (riff(sound("x"))[:9], "{} is "),
        (b"RIFF\x24\0\0\0AIFFfmt ", "{} is damaged: not a WAVE file"),
        (
            riff(sound("x"), channels=2),
            "{} has 2 channels of 16 bits at 16,000 Hz, expected 1 of 16 at 16,000",
        ),
        (
            riff(sound("x").astype(np.int8)),
            "{} has 1 channels of 8 bits at 16,000 Hz, expected 1 of 16 at 16,000",
        ),
        (
            riff(sound("x"), rate=8_000),
            "{} has 1 channels of 16 bits at 8,000 Hz, expected 1 of 16 at 16,000",
        ),
        (sphere(sound("x"))[:-1], "{} is cut off; delete it and get it again"),
        (sphere(sound("x"))[:500], "{} has no whole SPHERE header: 3000 samples after 1024 bytes"),
        (sphere(sound("x"))[:12], "{} has no whole SPHERE header: 'sample_count'"),
        (b"NIST_1A\n  what\n", "{} has no whole SPHERE header: invalid literal for int() with"),
        (sphere(sound("x"), sample_count=""), "{} has no whole SPHERE header: 'sample_count'"),
        (
            sphere(sound("x"), sample_count="-i -1"),
            "{} has no whole SPHERE header: -1 samples after 1024 bytes",
        ),
        (sphere(sound("x"), sample_byte_format="-s2 11"), "{} has no whole SPHERE header: '11'"),
        (
            sphere(sound("x"), sample_coding="-s26 pcm,embedded-shorten-v2.00"),
            "{} is coded as 'pcm,embedded-shorten-v2.00', expected 'pcm'; sph2pipe unpacks it",
        ),
        (
            sphere(sound("x"), channel_count="-i 2"),
            "{} has 2 channels of 16 bits at 16,000 Hz, expected 1 of 16 at 16,000",
        ),
    ],
)
def test_broken_recordings(folder, data, message):
    """Nothing of them can be read, so that skipping does not help."""
    (folder / "dr4-falr0" / "sa1.wav").write_bytes(data)
    for on_error in ("raise", "skip"):
        assert said(folder, on_error=on_error).startswith(message.format("dr4-falr0/sa1.wav"))


def test_a_packed_recording_that_is_cut_off(folder):
    path = folder / "dr4-falr0" / "sa1.wav"
    packed = gzip.compress(path.read_bytes())
    path.write_bytes(packed[:-100])
    assert said(folder) == "dr4-falr0/sa1.wav is cut off; delete it and get it again"


# What is missing


def test_a_missing_recording(folder):
    (folder / "dr4-falr0" / "sx65.wav").unlink()
    message = said(folder, FileNotFoundError)
    assert message.startswith(
        f"{str(folder)!r} lacks dr4-falr0/sx65.wav; put the folders TRAIN and"
    )


def test_no_transcriptions(tmp_path):
    message = said(tmp_path, FileNotFoundError)
    assert message == (
        f"{str(tmp_path)!r} lacks *.phn; put the folders TRAIN and TEST of the licensed corpus "
        "(LDC93S1) there, with their *.WAV and *.PHN, or the free sample of some speakers, "
        "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/timit.zip"
    )
    assert "no file or folder" in said(tmp_path / "nowhere", FileNotFoundError)
    alone = tmp_path / "sx1.wav"
    alone.write_bytes(riff(sound("x")))
    assert "sx1.wav' lacks *.phn; put" in said(alone, FileNotFoundError)


def test_no_such_speaker(folder):
    message = said(folder, speakers=["mgrt1", "mgrt0"])
    assert message == f"speaker 'mgrt0' is none of the 2 of ('train', 'test') in {str(folder)!r}"


@pytest.mark.parametrize("wrong", ["train", (), ("train", "core"), (0,)])
def test_wrong_parts(wrong):
    with pytest.raises(
        ValueError, match=r"^`subsets` must be a list or tuple of some of \('train',"
    ):
        datasets.TIMIT(subsets=wrong)


def test_other_wrong_parameters():
    with pytest.raises(ValueError, match=r"^`sentences` must be a list or tuple of some of \('sa'"):
        datasets.TIMITSegments(sentences="sx")
    with pytest.raises(ValueError, match=r"^`speakers` must be a list or tuple of names, got 'fal"):
        datasets.TIMIT(speakers="falr0")
    with pytest.raises(ValueError, match=r"^`speakers` must be .* names, got \[\]"):
        datasets.TIMIT(speakers=[])
    with pytest.raises(ValueError, match=r"^`speakers` must be .* names, got \[1\]"):
        datasets.TIMIT(speakers=[1])
    with pytest.raises(ValueError, match=r"^`on_error` must be 'raise' or 'skip', got None"):
        datasets.TIMIT(on_error=None)


# Anything at all


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folders = tmp_path_factory.mktemp("riff"), tmp_path_factory.mktemp("sphere")
    write(folders[0], SAMPLE[:1], lambda s: riff(s[:600]), (".wav", ".phn"))
    write(folders[1], LICENSED[:1], lambda s: sphere(s[:600]))
    return [(folder, path, path.read_bytes()) for folder in folders for path in folder.rglob("*.*")]


@n_examples(80)
@given(st.data())
def test_whatever_the_bytes_are(small, data):
    """Examples come out or a ValueError, and nothing else."""
    folder, path, whole = data.draw(st.sampled_from(small))
    broken = bytearray(whole)
    near = st.integers(0, min(len(whole), 400) - 1)  # where headers are
    for at in data.draw(st.lists(near, max_size=4)):
        broken[at] = data.draw(st.integers(0, 255))
    end = data.draw(st.one_of(st.none(), st.integers(0, len(whole))))
    path.write_bytes(broken[:end])
    try:
        for on_error in ("skip", "raise"):
            list(datasets.TIMIT(folder, on_error=on_error))
    except ValueError:
        pass
    finally:
        path.write_bytes(whole)


# The paper's script


@pytest.mark.slow
def test_the_papers_script(monkeypatch, capsys, tmp_path):
    data = DATA
    if not (data / "timit").is_dir():
        pytest.skip(f"no TIMIT at {data}: set RIVER_HIER_DATA")
    path = ROOT / "examples" / "papers" / "dekel_2005.py"
    arguments = [str(path), "--data", str(data), "--figures", str(tmp_path), "--quick"]
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.setattr("sys.argv", arguments)
    script = runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out.replace("\n" + 16 * " ", " ")
    for claim in script["CLAIMS"]:
        assert re.search(rf"^(not )?reproduced +{re.escape(claim)}(: |$)", printed, re.MULTILINE)
    assert printed.count("not testable") == 2
    assert [file.name for file in tmp_path.iterdir()] == ["figure_4.png"]
