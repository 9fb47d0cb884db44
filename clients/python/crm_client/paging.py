"""Lists: where the records of a page are, and what leads to the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

from .errors import InvalidInput
from .transport import Answer, Call, Transport, bad_answer, target

R = TypeVar("R")

_ITEM_NAMES = ("data", "results", "items", "records")
#: Members that hold a cursor, and the parameter in which it is sent back.
_CURSORS = (
    ("next_cursor", "cursor"),
    ("nextCursor", "cursor"),
    ("next_page_token", "page_token"),
    ("nextPageToken", "pageToken"),
)
_HOLDERS = ("meta", "pagination", "paging", "additional_data")
_ADDRESSES = ("next", "next_url", "next_page_url", "@odata.nextLink")


@dataclass(frozen=True)
class Page(Generic[R]):
    items: list[R]
    #: For ``cursor`` of a later list; None on the last page, and where no cursor leads to the next one.
    next_cursor: str | None


@dataclass(frozen=True)
class _Next:
    target: str
    cursor: str | None


def pages(
    transport: Transport,
    path: str,
    ids: tuple[str, ...],
    plural: str,
    query: Mapping[str, object],
    page_size: int | None,
    cursor: str | None,
) -> Iterator[Page[Any]]:
    """Each page when it is needed. A list that leads to itself is an error, not a loop."""
    if page_size is not None and (isinstance(page_size, bool) or not isinstance(page_size, int) or page_size < 1):
        raise InvalidInput(f"page_size is {page_size!r}; expected a whole number above 0")
    asked: dict[str, object] = {**query, "limit": page_size if page_size is not None else 100, "cursor": cursor}
    at = target(transport.base_path, path, ids, asked)
    return _walk(transport, at, plural)


def _walk(transport: Transport, at: str, plural: str) -> Iterator[Page[Any]]:
    seen = {at}
    while True:
        answer = transport.request(Call("GET", at))
        items = _items(answer, plural)
        following = _following(answer, items, transport.origin, at)
        if following is not None and following.target in seen:
            raise bad_answer(answer, "the next page is one that was already read")
        yield Page(items, None if following is None else following.cursor)
        if following is None:
            return
        at = following.target
        seen.add(at)


def _items(answer: Answer, plural: str) -> list[Any]:
    value = answer.json
    found = value if isinstance(value, list) else None
    if isinstance(value, dict):
        for name in (*_ITEM_NAMES, plural):
            inner = value.get(name)
            if isinstance(inner, dict) and isinstance(inner.get(plural), list):
                inner = inner[plural]
            if isinstance(inner, list):
                found = inner
                break
        else:
            edges = value.get("edges")
            if isinstance(edges, list):
                found = [edge.get("node") if isinstance(edge, dict) else None for edge in edges]
    if found is None or not all(isinstance(item, dict) for item in found):
        raise bad_answer(answer, "the answer contains no list of records")
    return [with_id(item) for item in found]


def with_id(record: dict[str, Any]) -> dict[str, Any]:
    """The id of a record is text, even if the server uses numbers."""
    given = record.get("id")
    return {**record, "id": str(given)} if isinstance(given, int) and not isinstance(given, bool) else record


def _following(answer: Answer, items: list[Any], origin: str, at: str) -> _Next | None:
    value = answer.json if isinstance(answer.json, dict) else {}
    holders = [value, *(value[name] for name in _HOLDERS if isinstance(value.get(name), dict))]
    for holder in holders:
        for name, parameter in _CURSORS:
            found = _cursor_text(holder.get(name))
            if found is not None:
                return _with(at, parameter, found)
    relayed = _relayed(holders, at)
    if relayed is not None:
        return relayed
    address = _address(value, answer.headers)
    if address is not None:
        return _Next(_same_origin(answer, address, origin, at), None)
    if any(holder.get(name) is True for holder in holders for name in ("has_more", "hasMore")):
        last = items[-1].get("id") if items else None
        if not isinstance(last, str):
            raise bad_answer(answer, "the answer says that there are more records, and not where")
        return _with(at, "starting_after", last)
    return None


def _relayed(holders: list[Any], at: str) -> _Next | None:
    """``paging.next.after`` and ``pageInfo.endCursor``, both sent as ``after``."""
    for holder in holders:
        following, info = holder.get("next"), holder.get("pageInfo")
        after = _cursor_text(following.get("after")) if isinstance(following, dict) else None
        if after is None and isinstance(info, dict) and info.get("hasNextPage") is True:
            after = _cursor_text(info.get("endCursor"))
        if after is not None:
            return _with(at, "after", after)
    return None


def _cursor_text(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value != "" else None


def _address(value: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
    holders = [value, *(value[name] for name in ("links", "_links", *_HOLDERS) if isinstance(value.get(name), dict))]
    for holder in holders:
        for name in _ADDRESSES:
            found = holder.get(name)
            if isinstance(found, dict):
                found = found.get("href", found.get("link"))
            if isinstance(found, str) and found != "":
                return found
    for link in re.finditer(r"<([^>]*)>([^<]*)", headers.get("link", "")):
        if re.search(r';\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)', link[2], re.IGNORECASE):
            return link[1]
    return None


def _same_origin(answer: Answer, address: str, origin: str, at: str) -> str:
    """The key goes to no other origin, so a next link may not lead there."""
    url = urlsplit(urljoin(origin + at, address))
    if f"{url.scheme}://{url.netloc}".lower() != origin.lower():
        raise bad_answer(answer, "the next page is at another origin, where the key must not be sent")
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def _with(at: str, name: str, cursor: str) -> _Next:
    """The same request from there on."""
    path, _, query = at.partition("?")
    pairs = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in (name, "cursor")]
    return _Next(f"{path}?{urlencode([*pairs, (name, cursor)], quote_via=quote)}", cursor)
