"""Files that are replaced atomically."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

FilePath = str | os.PathLike[str]


def checked(path: FilePath) -> Path:
    """The path without symbolic links, or an error if nothing can be saved there."""
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save into; make it")
    if path.exists() and not path.is_file():
        raise OSError(f"{str(path)!r} is a pipe or a device, which cannot be replaced; name a file")
    return path


def replace(path: Path, *chunks: bytes) -> None:
    """Write a file that appears under its name when it is complete."""
    _delete_leftovers(path)
    while not _written(path, chunks):
        pass
    if os.name == "posix":  # elsewhere folders cannot be opened
        _sync_folder(path.parent)


def _written(path: Path, chunks: tuple[bytes, ...]) -> bool:
    """Write a part file and rename it; return False if another program deleted it first."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with new.open("xb") as file:
            try:
                _lock(file)
            except BlockingIOError:  # by a program that is about to delete it
                return False
            if os.name == "posix" and not os.fstat(file.fileno()).st_nlink:
                return False  # deleted before it was locked
            if path.exists():
                shutil.copymode(path, new)  # while the file is still empty
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())  # before the rename can reach the disk
            if os.name == "posix":
                os.replace(new, path)  # while the file is locked
                return True
        with suppress(FileNotFoundError):  # deleted after it was closed
            os.replace(new, path)
            return True
    except BaseException:  # an interrupt too
        new.unlink(missing_ok=True)
        raise
    return False


def _delete_leftovers(path: Path) -> None:
    """Delete the part files that no program is writing."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    for name in filter(ours.fullmatch, os.listdir(path.parent)):
        part = path.with_name(name)
        with suppress(OSError):
            if not part.is_file():
                continue
            if os.name != "posix":  # open files cannot be deleted
                part.unlink()
            else:
                with part.open("rb") as file:
                    _lock(file)
                    part.unlink()


def _lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed; an OSError if another program has locked it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
