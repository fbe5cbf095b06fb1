"""Values of options and arguments, converted without Pydantic, which Typer would load for that.

Loading it takes as long as loading Typer, and its messages are for programmers. What is of another type goes to Typer's
own conversion.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

from winf_analyzer._util.errors import UsageError

PLAIN = (str, int, float, Path)
"""Types whose constructor is the conversion."""

YES, NO = ("1", "true", "t", "yes", "y", "on"), ("0", "false", "f", "no", "n", "off")
"""What an environment variable may hold for an option without a value."""

NUMBERS = {int: "a whole number", float: "a number"}
"""What a text is not that one of these does not take."""


def convert_plainly(parameters: Iterable[Any]) -> None:
    """Let these parameters of a Typer command be converted here."""
    for parameter in parameters:
        if hasattr(parameter, "_runtime_param") and hasattr(parameter, "type_descriptor"):
            parameter._runtime_param = _Conversion(parameter.type_descriptor.annotation)


class _Conversion:
    """What Typer calls its conversion of one parameter."""

    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value in the type of the parameter; raises what Typer raises."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        is_argument = param.param_type_name == "argument"
        name = param.display_name_raw if is_argument else max(param.opts, key=len)
        is_path = is_argument or Path in (self.annotation, *get_args(self.annotation))
        if is_path and "" in (value if isinstance(value, list | tuple) else [value]):
            # As a path it would be the present folder, with whatever is in it.
            raise UsageError(f"{name}: an empty value, such as an empty variable of a shell gives.")
        try:
            return _converted(value, self.annotation, _bounds(param))
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from None
        except TypeError:
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _bounds(param: Any) -> tuple[float | None, float | None]:
    return getattr(param, "min", None), getattr(param, "max", None)


def _converted(value: Any, annotation: Any, bounds: tuple[float | None, float | None]) -> Any:
    """The value in that type; raises ValueError with what the user is told, TypeError if Typer has to convert it."""
    if get_origin(annotation) is list and isinstance(value, list | tuple):
        return [_converted(item, get_args(annotation)[0], bounds) for item in value]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        names = [member.value for member in annotation]
        if value not in (*names, *annotation):
            raise ValueError(f"{str(value)!r} is not one of {', '.join(names)}.")
    elif annotation is bool:
        return _switched(value)
    elif annotation not in PLAIN:
        raise TypeError(annotation)
    try:
        converted = annotation(value)
    except ValueError:
        raise ValueError(f"{value!r} is not {NUMBERS.get(annotation, 'a value')}.") from None
    least, most = bounds
    if least is not None and converted < least:
        raise ValueError(f"{value} is less than {least:g}, the least.")
    if most is not None and converted > most:
        raise ValueError(f"{value} is more than {most:g}, the most.")
    return converted


def _switched(value: Any) -> bool:
    """Of an option without a value, or what its environment variable holds."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in (*YES, *NO):
        raise ValueError(f"{value!r} is neither true nor false.")
    return text in YES
