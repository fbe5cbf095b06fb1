"""Options of tshark that `--decoder tshark` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer._util.errors import UsageError

if TYPE_CHECKING:
    from winf_analyzer import Tshark

DecodeAs = Annotated[
    list[str] | None,
    typer.Option("--decode-as", metavar="RULE", help="With tshark, as its -d: udp.port==5000,peekremote. Repeatable."),
]
Preference = Annotated[
    list[str] | None,
    typer.Option("--preference", metavar="NAME:VALUE", help="With tshark, as its -o. Repeatable."),
]
Profile = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="With tshark, as its -C: a profile of your Wireshark."),
]


def given_decoder(
    decoder: str, decode_as: list[str] | None, preference: list[str] | None, profile: str | None
) -> str | Tshark:
    """The decoder, with the options for tshark if there are any.

    Raises:
        UsageError: there are, and the decoder is another.
    """
    if not (decode_as or preference or profile):
        return decoder
    if decoder != "tshark":
        raise UsageError("--decode-as, --preference and --profile need --decoder tshark.")
    from winf_analyzer import Tshark

    return Tshark(tuple(decode_as or ()), tuple(preference or ()), profile)
