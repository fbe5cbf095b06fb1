"""Packet-delivery traces for Mahimahi (Netravali et al., USENIX ATC 2015): a line per packet that a link may deliver.

A line is the time in whole milliseconds since the start at which one packet of 1500 octets may leave the link;
``mm-link`` begins again at the end. The number of lines follows the rate of a saturating flow, window by window.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._export.links import MSDU_BYTES, LinkModel, file_names, link_models
from winf_analyzer._util.errors import UnusableInput
from winf_analyzer._util.progress import Progress

ROUNDING = 1e-9
"""Of a packet: what sums of shares may lack."""


def write_mahimahi(dataset: Dataset, path: Path, progress: Progress) -> list[str]:
    """Write ``LINK.trace`` of every link into a folder.

    Raises:
        UnusableInput: no link has an answer.
    """
    notes = []
    models = link_models(dataset)
    for number, (model, name) in enumerate(zip(models, file_names(models), strict=True), 1):
        progress(f"{model.sender} > {model.receiver}", number, len(models))
        trace = path / f"{name}.trace"
        with trace.open("w", encoding="ascii") as file:
            written = 0
            for millisecond in deliveries(model):
                file.write(f"{millisecond}\n")
                written += 1
        if not written:  # mm-link refuses an empty trace
            trace.unlink()
            notes.append(f"{model.sender} > {model.receiver}: carries not one packet in the recording; no trace.")
        elif model.unknown_share:
            notes.append(
                f"{model.sender} > {model.receiver}: {model.unknown_share:.0%} of the time has no estimate and the rate"
                " of the whole recording."
            )
    if not any(path.iterdir()):
        raise UnusableInput("\n".join(notes))
    notes.append("A trace has rates alone: set delay and loss with mm-delay and mm-loss. Links do not share the air.")
    return notes


def deliveries(model: LinkModel) -> Iterator[int]:
    """Times in ms at which a packet may leave, the credit of bits carried over from window to window."""
    credit = 0.0  # of packets
    for step in model.steps:
        if step.rate_bps <= 0:
            continue
        packet_ns = MSDU_BYTES * 8e9 / step.rate_bps
        earned = credit + step.length_ns / packet_ns
        whole = int(earned + ROUNDING)
        for number in range(1, whole + 1):
            yield max(1, round((step.start_ns + (number - credit) * packet_ns) / 1e6))
        credit = max(0.0, earned - whole)
