"""Arguments that are checked before anything is sent."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from .errors import InvalidInput


def entity_tag(version: str | int) -> str:
    text = str(version)
    tag = text if re.fullmatch(r'(?:W/)?".*"|\*', text) else f'"{text}"'
    if not re.fullmatch(r"[\x21-\x7e]+", tag):
        raise InvalidInput("if_match is not an entity tag; expected the version of the record, such as 3")
    return tag


def checked_idempotency_key(text: str) -> str:
    if not re.fullmatch(r"[\x20-\x7e]{1,255}", text):
        raise InvalidInput("the idempotency key must be 1 to 255 printable ASCII characters")
    return text


def checked_url(text: str, allow_insecure_http: bool) -> str:
    if text == "":
        raise InvalidInput("no address is given; pass base_url or set CRM_BASE_URL")
    url = urlsplit(text)
    try:
        is_port = url.port is None or url.port > 0
    except ValueError:
        is_port = False
    if url.scheme not in ("http", "https") or not url.hostname or not is_port or re.search(r"[\s\x00-\x20]", text):
        raise InvalidInput("base_url is not an address; expected one such as https://crm.example.com")
    if url.username is not None or url.password is not None:
        raise InvalidInput("base_url contains a user name or a password; pass the key as api_key")
    if url.query or url.fragment:
        raise InvalidInput("base_url has a query or a fragment; expected the address of the server alone")
    if url.scheme == "http" and not _is_loopback(url.hostname) and not allow_insecure_http:
        raise InvalidInput(
            f"{url.scheme}://{url.netloc} is plain http, where anyone on the way can read the key;"
            " use https, or allow_insecure_http=True if that network is yours"
        )
    return text


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or re.fullmatch(r"127(?:\.\d{1,3}){3}", host) is not None


def checked_key(text: str) -> str:
    if text == "":
        raise InvalidInput("no key is given; pass api_key or set CRM_API_KEY")
    # The value is not shown: it may be a key with a typing error.
    if not re.fullmatch(r"[\x21-\x7e]+", text):
        raise InvalidInput("the key contains blanks, line ends or characters beyond ASCII")
    return text


def checked_seconds(name: str, value: float, above: float | None) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and value >= 0 and (above is None or value > above):
        return float(value)
    raise InvalidInput(f"{name} is {value!r}; expected a number of seconds")
