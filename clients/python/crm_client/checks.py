"""Arguments that are checked before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

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


def checked_proxy(text: str | None, base: SplitResult) -> SplitResult | None:
    """Without ``text`` that of the environment, which is not used for this machine. None: no proxy."""
    if text is None and not _is_loopback(base.hostname or "") and not proxy_bypass(base.netloc):
        found = getproxies()
        text = found.get(base.scheme) or found.get("all")
    if not text:
        return None
    url = urlsplit(text if "://" in text else f"http://{text}")
    try:
        is_port = url.port is None or url.port > 0
    except ValueError:
        is_port = False
    if url.scheme == "http" and url.hostname and is_port:
        return url
    # The value is not shown: it may contain a password.
    raise InvalidInput("the proxy is not an address such as http://proxy.example.com:3128")


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_OWN_HEADERS = ("authorization", "connection", "content-length", "host", "idempotency-key", "proxy-authorization", "transfer-encoding")


def checked_request(method: str, path: str, headers: Mapping[str, str]) -> None:
    if method not in _METHODS:
        raise InvalidInput(f"{method!r} is no method; expected {', '.join(_METHODS)}")
    if not re.fullmatch(r"/[!-\"$-~]*", path):
        raise InvalidInput("the path is not one such as /v1/contacts; other characters than ASCII are percent-encoded")
    for name, value in headers.items():
        is_header = re.fullmatch(r"[!#-'*+.^_`|~0-9A-Za-z-]+", name) and re.fullmatch(r"[\t\x20-\x7e]*", value)
        if not is_header or name.lower() in _OWN_HEADERS:
            raise InvalidInput(f"the header {name!r} cannot be set; the client sets the key and the headers of the connection")


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
