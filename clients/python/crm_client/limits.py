"""When to send a request, and how long to wait before the next try."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

#: Statuses of an outage. A try may have taken effect, except with 503 and Retry-After.
TEMPORARY = frozenset({408, 499, 500, 502, 503, 504})

_FIRST_WAIT = 0.25
_LONGEST_WAIT = 8.0
_SECONDS = re.compile(r"\d{1,15}(?:\.\d+)?")


def backoff(tries: int) -> float:
    """Exponential with jitter: clients that failed together do not retry together."""
    full: float = min(_FIRST_WAIT * 2 ** (tries - 1), _LONGEST_WAIT)
    return full * (0.5 + random.random() / 2)


def jitter() -> float:
    return random.random() * _FIRST_WAIT


def retry_after(status: int, headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by Retry-After; for an exceeded limit also by the rate limit headers."""
    stated = _retry_after_header(headers)
    if stated is not None or not is_limit(status, headers):
        return stated
    signal = rate_signal(headers)
    return signal[1] if signal else None


def is_limit(status: int, headers: Mapping[str, str]) -> bool:
    """429, and a 403 that asks for a wait or says that no requests are left."""
    if status != 403:
        return status == 429
    signal = rate_signal(headers)
    return _retry_after_header(headers) is not None or (signal is not None and signal[0] == 0)


def _retry_after_header(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    until = _date(text)
    return None if until is None else max(0.0, until - _server_time(headers))


def rate_signal(headers: Mapping[str, str]) -> tuple[float, float] | None:
    """Requests left, and seconds until the reset; None if the response states neither."""
    return _combined(headers) or _separate(headers) or _hubspot(headers)


def _combined(headers: Mapping[str, str]) -> tuple[float, float] | None:
    """``"default";r=0;t=60``, the tightest of several, or ``limit=2, remaining=0, reset=60``."""
    text = re.sub(r'"[^"]*"', '""', headers.get("ratelimit", ""))
    if re.search(r"(?:^|[,\s])remaining\s*=", text):
        items, names = [text.replace(",", ";")], ("remaining", "reset")
    else:
        items, names = text.split(","), ("r", "t")
    found = []
    for item in items:
        values = dict(part.strip().split("=", 1) for part in item.split(";") if "=" in part)
        left, reset = values.get(names[0], ""), values.get(names[1], "")
        if _SECONDS.fullmatch(left) and _SECONDS.fullmatch(reset):
            found.append((float(left), _until(float(reset), headers)))
    return min(found, key=lambda each: (each[0], -each[1])) if found else None


def _separate(headers: Mapping[str, str]) -> tuple[float, float] | None:
    for prefix in ("ratelimit", "x-ratelimit", "x-rate-limit"):
        left = headers.get(f"{prefix}-remaining", "").strip()
        reset = headers.get(f"{prefix}-reset", "").strip()
        if not _SECONDS.fullmatch(left):
            continue
        if _SECONDS.fullmatch(reset):
            return float(left), _until(float(reset), headers)
        at = _date(reset)
        if at is not None:
            return float(left), max(0.0, at - _server_time(headers))
    return None


def _hubspot(headers: Mapping[str, str]) -> tuple[float, float] | None:
    left = headers.get("x-hubspot-ratelimit-remaining", "").strip()
    window = headers.get("x-hubspot-ratelimit-interval-milliseconds", "").strip()
    if _SECONDS.fullmatch(left) and _SECONDS.fullmatch(window):
        return float(left), float(window) / 1000
    return None


def _until(number: float, headers: Mapping[str, str]) -> float:
    """Large numbers are times: milliseconds or seconds since 1970."""
    if number > 1e12:
        number /= 1000
    return max(0.0, number - _server_time(headers)) if number > 1e9 else number


def _server_time(headers: Mapping[str, str]) -> float:
    """By the clock of the server, where its response has a Date."""
    stated = _date(headers.get("date", ""))
    return time.time() if stated is None else stated


def _date(text: str) -> float | None:
    if not re.search("[A-Za-z]", text):
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
