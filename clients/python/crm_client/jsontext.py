"""JSON in which numbers keep all their digits: fractions are Decimal, in both directions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn

from .errors import InvalidInput


def parse(text: str) -> Any:
    """Raises ValueError for text that is not JSON, NaN and Infinity included."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def write(value: object) -> str:
    """Raises InvalidInput for a value that JSON cannot represent."""
    parts: list[str] = []
    try:
        _write(value, parts.append)
        text = "".join(parts)
        text.encode()
    except RecursionError:
        raise InvalidInput("the value contains itself, or is nested too deeply") from None
    except UnicodeEncodeError:
        raise InvalidInput("a text contains half of a surrogate pair, which UTF-8 cannot represent") from None
    return text


def _write(value: object, add: Any) -> None:
    if isinstance(value, str):
        add(json.dumps(value, ensure_ascii=False))
    elif value is None or isinstance(value, bool):
        add(json.dumps(value))
    elif isinstance(value, int):
        add(int.__repr__(value))
    elif isinstance(value, (float, Decimal)):
        add(_number(value))
    elif isinstance(value, Mapping):
        _write_object(value, add)
    elif isinstance(value, (list, tuple)):
        _write_array(value, add)
    else:
        raise InvalidInput(f"a value of type {type(value).__name__} is not JSON; expected text, a number, a bool, None, a list or a dict")


def _number(value: float | Decimal) -> str:
    if not math.isfinite(value):
        raise InvalidInput(f"{value} is not a JSON number")
    return float.__repr__(value) if isinstance(value, float) else str(value)


def _write_object(value: Mapping[Any, object], add: Any) -> None:
    add("{")
    for at, (name, member) in enumerate(value.items()):
        if not isinstance(name, str):
            raise InvalidInput(f"a member is named {name!r}; expected text")
        add(("," if at else "") + json.dumps(name, ensure_ascii=False) + ":")
        _write(member, add)
    add("}")


def _write_array(value: list[object] | tuple[object, ...], add: Any) -> None:
    add("[")
    for at, item in enumerate(value):
        if at:
            add(",")
        _write(item, add)
    add("]")
