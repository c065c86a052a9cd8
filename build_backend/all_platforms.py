"""Wheels for every platform, built on one Linux machine by `ziglang`: a check of portability.

python build_backend/all_platforms.py wheel [folder]

The wheel is one for the stable ABI, as `pip wheel --no-deps .` makes with Python 3.12 or later.
Its compiled core is replaced by one for each target. None of the wheels is published. Needs
`ziglang`, `nanobind<3` and `wheel`.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import nanobind

NATIVE = Path(__file__).parents[1] / "river_hier/_core/native"
NANOBIND = Path(nanobind.__file__).parent
# zig's name of the target, the wheel's, and the name of the compiled core.
TARGETS = [
    ("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", "_native.abi3.so"),
    ("x86_64-linux-musl", "musllinux_1_2_x86_64", "_native.abi3.so"),
    ("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", "_native.abi3.so"),
    ("x86_64-windows-gnu", "win_amd64", "_native.pyd"),
    ("x86_64-macos.10.14", "macosx_10_14_x86_64", "_native.abi3.so"),
    ("aarch64-macos.11.0", "macosx_11_0_arm64", "_native.abi3.so"),
]
# How Python's headers for Windows differ from those of this machine.
WINDOWS = """
#include "{header}"
#undef SIZEOF_LONG
#undef SIZEOF_WCHAR_T
#define SIZEOF_LONG 4
#define SIZEOF_WCHAR_T 2
#define MS_WINDOWS 1
#define MS_WIN64 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
"""
# Learns in the compiled core.
PROGRAM = """
from river_hier import linear_model, taxonomy
model = linear_model.HPerceptron(taxonomy.Taxonomy.from_nested({"a": ["b", "c"]}))
for x, y in [({"u": 1.0}, {"b"}), ({"v": 1.0}, {"c"})] * 3:
    model.learn_one(x, y)
print(model.predict_one({"u": 1.0}))
"""


def zig(*command: object) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", *map(str, command)], capture_output=True, text=True
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise RuntimeError("; ".join(lines[:3]) or done.stderr[-300:])


def link(target: str, core: Path, folder: Path) -> None:
    """Compile the core for a target. CMakeLists.txt has more flags, for speed and warnings."""
    include = Path(sysconfig.get_path("include"))
    flags: list[object] = ["-target", target, "-mcpu=baseline", "-std=c++17", "-O2", "-DNDEBUG"]
    flags += ["-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off"]
    flags += ["-fno-math-errno", "-DPy_LIMITED_API=0x030C0000", "-DNB_COMPACT_ASSERTIONS"]
    flags += [f"-I{folder}", f"-I{include}", f"-I{NANOBIND}/include", f"-I{NATIVE}"]
    flags += [f"-I{NANOBIND}/ext/robin_map/include", "-shared", "-s", "-o", core]
    symbols = NANOBIND / "cmake/darwin-ld-cpython.sym"
    if "windows" in target:
        (folder / "pyconfig.h").write_text(WINDOWS.format(header=include / "pyconfig.h"))
        names = re.findall(r"-U _(\w+)", symbols.read_text())
        (folder / "python3.def").write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names]))
        zig(
            "dlltool",
            "-m",
            "i386:x86-64",
            "-d",
            folder / "python3.def",
            "-l",
            folder / "python3.lib",
        )
        flags.append(folder / "python3.lib")
    elif "macos" in target:
        flags += ["-Wl,-undefined,dynamic_lookup"]
    else:
        flags += ["-fPIC"]
    zig("c++", *flags, NANOBIND / "src/nb_combined.cpp", *sorted(NATIVE.rglob("*.cpp")))


def pack(wheel: Path, tag: str, core: Path, folder: Path, to: Path) -> Path:
    """The wheel with another core and another tag."""
    call = [sys.executable, "-m", "wheel"]
    subprocess.run([*call, "unpack", "-d", folder, wheel], check=True, capture_output=True)
    (unpacked,) = folder.glob("river_hier-*")
    (old,) = unpacked.glob("river_hier/_native.*so")
    old.unlink()
    core.rename(old.with_name(core.name))
    (names,) = unpacked.glob("*.dist-info/WHEEL")
    names.write_text(re.sub(r"(Tag: cp\d+-abi3)-.*", rf"\1-{tag}", names.read_text()))
    subprocess.run([*call, "pack", "-d", to, unpacked], check=True, capture_output=True)
    return next(to.glob(f"*{tag}.whl"))


def main(wheel: Path, to: Path) -> int:
    to.mkdir(parents=True, exist_ok=True)
    failed = 0
    for target, tag, name in TARGETS:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                link(target, Path(scratch, name), Path(scratch))
            except RuntimeError as error:
                failed += 1
                print(f"{tag}: not linked: {error}", flush=True)
                continue
            built = pack(wheel, tag, Path(scratch, name), Path(scratch), to)
            if f"{platform.machine()}-linux-gnu" not in target:
                print(f"{built.name}: linked, not run on this machine", flush=True)
                continue
            install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
            subprocess.run([*install, Path(scratch, "site"), built], check=True)
            program = f"import sys; sys.path.insert(0, {scratch + '/site'!r})\n{PROGRAM}"
            run = subprocess.run([sys.executable, "-P", "-c", program], cwd=scratch)
            failed += run.returncode != 0
            print(
                f"{built.name}: linked, {'run' if run.returncode == 0 else 'does not run'}",
                flush=True,
            )
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "dist/all")))
