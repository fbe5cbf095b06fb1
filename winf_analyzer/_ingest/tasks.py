"""What is decoded at a time: a recording, or several short ones into parts that they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from winf_analyzer._dataset.dataset import PART
from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._ingest.inputs import InputFile

SHORT_BYTES = 4 << 20
"""Size of a recording from which it has parts of its own."""

MAX_TOGETHER = 64
"""Short recordings that share parts at most; a job decodes as many at a time."""

BYTES_TOGETHER = 16 << 20
"""Size of short recordings that share parts: a tenth of a second of decoding, so that jobs end at the same time."""

MIN_SHORT = 16
"""With fewer short recordings each has parts of its own, which are easier to look at."""


@dataclass(frozen=True)
class DecodingTask:
    """Recordings that are decoded one after the other."""

    first: int
    """Number of the first one in the dataset."""
    recordings: tuple[InputFile, ...]

    @property
    def part(self) -> str:
        """Stem of the parts, which names the numbers of the recordings in them."""
        first = part_of(self.first)
        return first if len(self.recordings) == 1 else f"{first}-{self.first + len(self.recordings) - 1:05}"

    def apart(self) -> list[DecodingTask]:
        """A task for each recording."""
        return [DecodingTask(number, (recording,)) for number, recording in enumerate(self.recordings, self.first)]

    def numbered(self) -> Iterator[tuple[str, InputFile]]:
        """Each recording with the stem of the parts that it has where it does not share them."""
        return ((part_of(number), recording) for number, recording in enumerate(self.recordings, self.first))


def part_of(number: int) -> str:
    """Stem of the parts of one recording."""
    return PART.format(number).removesuffix(".parquet")


def number_of(stem: str) -> int:
    """The number of the first recording or log of a part by its stem; -1 of another part."""
    match = re.match(r"(?:part|tool)-(\d+)", stem)
    return int(match[1]) if match else -1


def tasks(files: Sequence[InputFile], decoding: Decoding, first: int = 0) -> list[DecodingTask]:
    """The tasks of all recordings, in their order; a function of the list and of sizes alone.

    Args:
        files: recordings in the order of their numbers.
        decoding: other decoders than the native one take one recording at a time.
        first: number of the first recording.
    """
    sizes = [_size(file) if decoding.decoder == "native" else SHORT_BYTES for file in files]
    short = [size < SHORT_BYTES for size in sizes]
    if sum(short) < MIN_SHORT:
        short = [False] * len(files)
    found: list[DecodingTask] = []
    together: list[InputFile] = []
    octets = 0
    for number, (file, size, is_short) in enumerate(zip(files, sizes, short, strict=True), first):
        is_full = len(together) == MAX_TOGETHER or octets + size > BYTES_TOGETHER
        if together and (not is_short or is_full):
            found.append(DecodingTask(number - len(together), tuple(together)))
            together, octets = [], 0
        if is_short:
            together.append(file)
            octets += size
        else:
            found.append(DecodingTask(number, (file,)))
    if together:
        found.append(DecodingTask(first + len(files) - len(together), tuple(together)))
    return found


def _size(file: InputFile) -> int:
    try:
        return file.path.stat().st_size
    except OSError:  # gone since it was listed: decoding it says so
        return SHORT_BYTES
