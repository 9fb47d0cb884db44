"""The requests behind the generated methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from .errors import InvalidInput
from .paging import Page, pages, with_id
from .transport import Answer, Call, Transport, bad_answer, target

#: The value of a filter. Several values select records with any of them.
Filter = str | int | float | Decimal | Sequence[str] | None


class Resource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._transport.origin}>"

    def _list(
        self,
        path: str,
        ids: tuple[str, ...],
        plural: str,
        query: Mapping[str, object],
        limit: int | None,
        page_size: int | None,
        cursor: str | None,
    ) -> Iterator[Any]:
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
            raise InvalidInput(f"limit is {limit!r}; expected a whole number above 0, or None for all")
        size = limit if page_size is None and limit is not None and limit < 100 else page_size
        found = self._pages(path, ids, plural, query, size, cursor)
        return islice((record for page in found for record in page.items), limit)

    def _pages(
        self,
        path: str,
        ids: tuple[str, ...],
        plural: str,
        query: Mapping[str, object],
        page_size: int | None,
        cursor: str | None,
    ) -> Iterator[Page[Any]]:
        return pages(self._transport, path, ids, plural, query, page_size, cursor)

    def _create(self, path: str, ids: tuple[str, ...], fields: object, idempotency_key: str | None) -> Any:
        return self._record(self._send("POST", path, ids, _checked(fields), idempotency_key=idempotency_key))

    def _get(self, path: str, id: str) -> Any:
        return self._record(self._transport.request(Call("GET", self._target(path, id))))

    def _update(self, path: str, id: str, patch: object, if_match: str | int | None, idempotency_key: str | None) -> Any:
        answer = self._send("PATCH", path, (id,), _checked(patch), if_match=if_match, idempotency_key=idempotency_key)
        # Other servers answer a change with 204.
        return {"id": id} if not answer.text.strip() else self._record(answer)

    def _delete(self, path: str, id: str, if_match: str | int | None) -> None:
        self._transport.request(Call("DELETE", self._target(path, id), if_match=if_match))

    def _test(self, path: str, id: str, idempotency_key: str | None) -> Any:
        call = Call("POST", self._target(path, id), idempotency_key=idempotency_key)
        return self._transport.request(call).json

    def _send(self, method: str, path: str, ids: tuple[str, ...], body: object, **options: Any) -> Answer:
        at = target(self._transport.base_path, path, ids, {})
        return self._transport.request(Call(method, at, body, has_body=True, **options))

    def _target(self, path: str, id: str) -> str:
        return target(self._transport.base_path, path, (id,), {})

    @staticmethod
    def _record(answer: Answer) -> dict[str, Any]:
        value = answer.json
        if isinstance(value, dict) and "id" not in value and isinstance(value.get("data"), dict):
            value = value["data"]
        if not isinstance(value, dict):
            raise bad_answer(answer, "the answer contains no record")
        return with_id(value)


def _checked(fields: object) -> Mapping[Any, object]:
    if isinstance(fields, Mapping):
        return fields
    raise InvalidInput(f"a record is a dict of its members; got {type(fields).__name__}")
