"""A shell script of `tc` (netem) that gives an interface the rate, delay and loss of a recorded link over time."""

from __future__ import annotations

from pathlib import Path

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._export.links import MSDU_BYTES, LinkModel, link_models
from winf_analyzer._util.format import printable
from winf_analyzer._util.progress import Progress

HEAD = """\
#!/bin/sh
# Written by winf export --to netem from {source}.
#
# Usage: sh {name} LINK DEVICE    (as root; sh {name} lists the links)
#
# It carries, per link:
#   rate   what a saturating flow would deliver in each window, so the airtime of other stations is taken off; netem
#          counts the Ethernet header (14 octets), rates here the LLC header (8): hence the packet overhead of -6
#   delay  what a lone packet waits beyond its time at that rate; null where it was not measured
#   loss   packets that the MAC gave up, at most: an answer that the recorder missed counts as a loss
# It cannot carry:
#   - that links share the air: traffic on one link leaves the rate of the others as it is
#   - that a flow of your own changes the rate: stations contend, collide and adapt their rates
#   - retransmissions as jitter, bursts of A-MPDUs, and losses that come in bursts
#   - windows without an estimate: they have the rate of the whole recording, and a comment that says so
set -eu
link=${{1-}} device=${{2-}}
if [ -z "$link" ] || [ -z "$device" ]; then
    echo "usage: $0 LINK DEVICE; links:" >&2
    sed -n 's/^    \\([0-9]*\\)) # /  \\1  /p' "$0" >&2
    exit 2
fi
step() {{ # seconds, then the options of netem
    seconds=$1
    shift
    tc qdisc replace dev "$device" root netem "$@"
    sleep "$seconds"
}}
trap 'tc qdisc del dev "$device" root' EXIT
trap 'exit 130' INT TERM
case $link in
"""


def write_netem(dataset: Dataset, path: Path, progress: Progress) -> list[str]:
    """Write the script.

    Raises:
        UnusableInput: no link has an answer.
    """
    models = link_models(dataset)
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD.format(source=_comment(dataset.path.name), name=_comment(path.name)))
        for number, model in enumerate(models, 1):
            progress(f"{model.sender} > {model.receiver}", number, len(models))
            file.write(f"    {number}) # {_comment(f'{model.sender} > {model.receiver}, {model.source}')}\n")
            file.writelines(f"{line}\n" for line in _lines(model))
            file.write("        ;;\n")
        file.write('    *) echo "no link $link" >&2; exit 2 ;;\nesac\n')
    return ["The head of the script says what netem cannot carry, above all that links share the air."]


def _lines(model: LinkModel) -> list[str]:
    lines = []
    delay_us = None
    if model.service_us is None:
        lines.append("        # delay: not measured")
    else:
        delay_us = max(0, round(model.service_us - MSDU_BYTES * 8e6 / model.rate_bps))
    if model.lost_share is None:
        lines.append("        # loss: not measured")
    options = f"{f' delay {delay_us}us' if delay_us else ''}"
    options += f" loss {model.lost_share * 100:.4f}%" if model.lost_share else ""
    for step in model.steps:
        rate = max(8, round(step.rate_bps))  # tc takes a rate of 0 for none at all
        remark = "" if step.known else "  # no estimate for this window"
        lines.append(f"        step {step.length_ns / 1e9:.6f} rate {rate}bit -6{options}{remark}")
    return lines


def _comment(text: str) -> str:
    """Text from outside as a part of one comment line."""
    return printable(text)
