"""Errors of a server as exceptions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import jsontext, limits
from .connection import Response
from .errors import CrmError, FieldError, error_class

_MOST_CHARACTERS = 300


def status_error(what: str, response: Response, redact: Callable[[str], str]) -> CrmError:
    """The exception of a status that is no success. ``what``: the request, for the message."""
    problem = problem_of(response)

    def text(*names: str) -> str | None:
        found = [problem[name] for name in names if isinstance(problem.get(name), str) and problem[name].strip()]
        return safe_text(redact(found[0])) if found else None

    status = response.status
    known = error_class(429 if limits.is_limit(status, response.headers) else status)
    if 300 <= status < 400:
        reason = f"the server redirects to another address, and redirects are not followed ({status})"
    else:
        message = text("detail", "message", "title", "error_description", "error")
        reason = f"{message} ({status})" if message else f"the server answered {status}"
    return known(
        f"cannot {what}: {reason}",
        status=status,
        server_code=text("code"),
        request_id=text("request_id") or _header(response, redact),
        fields=_fields(problem.get("errors"), redact),
    )


def graphql_error(answer: Any, errors: list[Any], redact: Callable[[str], str]) -> CrmError:
    """The errors of GraphQL as one, of the class of the first."""
    found = [each for each in errors if isinstance(each, dict)]
    messages = "; ".join(dict.fromkeys(str(each.get("message")) for each in found))
    more = found[0].get("extensions") if found else None
    extensions = more if isinstance(more, dict) else {}
    status, code = extensions.get("status"), extensions.get("code")
    known: type[CrmError] = error_class(status) if isinstance(status, int) else CrmError
    return known(
        f"cannot {answer.call}: {safe_text(redact(messages))}",
        status=status if isinstance(status, int) else answer.status,
        server_code=safe_text(redact(code)) if isinstance(code, str) else None,
        request_id=answer.request_id,
        fields=_fields(extensions.get("errors"), redact),
    )


def _header(response: Response, redact: Callable[[str], str]) -> str | None:
    value = response.headers.get("x-request-id")
    return safe_text(redact(value)) if value else None


def problem_of(response: Response) -> dict[str, Any]:
    """The object of a problem document; empty for HTML and all else that is not a JSON object."""
    try:
        value = jsontext.parse(response.body.decode())
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    inner = value.get("error")
    return {**value, **inner} if isinstance(inner, dict) else value


def _fields(errors: object, redact: Callable[[str], str]) -> list[FieldError]:
    if not isinstance(errors, list):
        return []
    found = [each for each in errors if isinstance(each, dict)]

    def text(each: dict[str, Any], *names: str) -> str:
        values = [each[name] for name in names if isinstance(each.get(name), str)]
        return safe_text(redact(values[0])) if values else ""

    return [
        FieldError(
            pointer=_pointer(text(each, "pointer", "field")),
            code=text(each, "code"),
            detail=text(each, "detail", "message"),
            parameter=text(each, "parameter"),
        )
        for each in found
    ]


def _pointer(place: str) -> str:
    """RFC 6901. Servers also send a URI fragment, or a path such as lines[0].amount."""
    place = place.removeprefix("#")
    if place == "" or place.startswith("/"):
        return place
    steps = re.sub(r"\[([^\]]*)\]", r".\1", place).split(".")
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def safe_text(text: str) -> str:
    """One line without control characters, escape sequences and direction overrides."""
    shown = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+", " ", text).strip()
    return shown if len(shown) <= _MOST_CHARACTERS else f"{shown[:_MOST_CHARACTERS]}…"
