"""Texts in and out as bytes: encoding, byte order mark and line endings stay as they were, and a file is replaced whole or not at all."""

from __future__ import annotations

import codecs
import os
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from redraft.errors import InputError

__all__ = ["LARGEST_BYTES", "Source", "read_source", "read_tests", "replace_file", "write_stdout"]

LARGEST_BYTES = 4 << 20
MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text as it was found. `path` is None for standard input; `mark` is its byte order mark."""

    path: Path | None
    content: bytes
    text: str
    encoding: str
    mark: bytes

    @property
    def name(self) -> str:
        return "standard input" if self.path is None else str(self.path)

    def encode(self, text: str) -> bytes:
        """A text in the form of this file."""
        return self.mark + text.encode(self.encoding, "surrogatepass")


def read_source(name: str, *, may_be_empty: bool = False) -> Source:
    """The text of a file, or of standard input for `-`. Line endings are kept in the text.

    Raises:
        InputError: it cannot be read, or is empty, binary, undecodable or too large; the message says how to mend it.
    """
    if not name.strip():
        raise InputError("the name of the file is empty; give a FILE, or - for standard input")
    path = None if name == "-" else Path(name)
    shown = "standard input" if path is None else repr(name)
    content = _read_stdin() if path is None else _read_file(path, shown)
    if len(content) > LARGEST_BYTES:
        raise InputError(f"{shown} is larger than {LARGEST_BYTES >> 20} MB; split it and check the parts")
    mark, encoding = next(((mark, encoding) for mark, encoding in MARKS if content.startswith(mark)), (b"", "utf-8"))
    if b"\x00" in content and encoding == "utf-8":
        raise InputError(f"{shown} is {_binary(content)}")
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        place = error.start + len(mark)
        remedy = "convert it, for example: iconv -f LATIN1 -t UTF-8" if encoding == "utf-8" else "it is damaged or cut off; save it again as UTF-8"
        raise InputError(f"{shown} is not {encoding.upper()} text (byte {place}); {remedy}") from None
    if "\x00" in text:
        raise InputError(f"{shown} is {_binary(content)}")
    if not text.strip() and not may_be_empty:
        raise InputError(f"{shown} is empty; there is nothing to check")
    return Source(path=path, content=content, text=text, encoding=encoding, mark=mark)


def _binary(content: bytes) -> str:
    """What a file with NUL in it is, and what to do with it: where every other byte of its beginning is one, it is UTF-16 that does not say so."""
    head = content[:1000]
    for start, encoding in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        if len(head) > 3 and head[start::2].count(0) > 0.8 * len(head[start::2]) and not head[1 - start :: 2].count(0):
            return f"UTF-16 text without its mark; convert it, for example: iconv -f {encoding} -t UTF-8"
    return "a binary file; give a text (documents such as PDF or DOCX are evidence: --sources)"


def read_tests(name: str) -> str:
    """The source of a Python file with tests.

    Raises:
        InputError: as `read_source`.
    """
    return read_source(name).text


def replace_file(source: Source, text: str) -> None:
    """Put a text in place of the file's, keeping its permissions: the old file stays whole until the new one is complete on disk.

    Raises:
        InputError: it cannot be written, or it was changed since it was read; nothing was written then.
    """
    assert source.path is not None
    target = source.path.resolve()  # a link stays a link
    temporary = ""
    try:
        if target.read_bytes() != source.content:
            raise InputError(f"{source.path} was changed while it was being checked; nothing was written, run the command again")
        mode = stat.S_IMODE(target.stat().st_mode)
        if not os.access(target, os.W_OK):
            raise InputError(f"{source.path} is write-protected; nothing was written (chmod u+w makes it writable)")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".redraft", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(source.encode(text))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
        temporary = ""
    except OSError as error:
        raise InputError(f"cannot write {source.path}: {error.strerror or error}; nothing was written") from None
    finally:
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)


def write_stdout(content: bytes) -> None:
    """Bytes on standard output, as they are."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(content.decode("utf-8", "replace"))
    else:
        sys.stdout.flush()
        buffer.write(content)
    sys.stdout.flush()


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input is closed; give a FILE")
    if sys.stdin.isatty():
        sys.stderr.write("reading the text from the terminal; end it with Ctrl-D\n")
    buffer = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read().encode("utf-8", "surrogateescape") if buffer is None else buffer.read(LARGEST_BYTES + 1)


def _read_file(path: Path, shown: str) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{shown} is a folder; give a file (folders of documents are evidence: --sources)")
        with path.open("rb") as file:
            return file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file {shown}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {shown}: {getattr(error, 'strerror', None) or error}") from None
