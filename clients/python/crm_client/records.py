"""Records of any object of the server, by its noun."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar, cast

from .paging import Page
from .resource import Filter, Resource
from .transport import Transport, target

R = TypeVar("R")


class Records(Resource, Generic[R]):
    """Records of one object. ``list`` and ``pages`` take its filters by their names, such as ``company_id``."""

    def __init__(self, transport: Transport, noun: str) -> None:
        super().__init__(transport)
        self._noun = noun
        self._path = target("", "/v1/{id}", (noun,), {})

    def list(self, *, limit: int | None = None, page_size: int | None = None, cursor: str | None = None, **filters: Filter) -> Iterator[R]:
        """Each record, newest first where the server sorts so; pages are requested as records are consumed."""
        return self._list(self._path, (), self._noun, _query(filters), limit, page_size, cursor)

    def pages(self, *, page_size: int | None = None, cursor: str | None = None, **filters: Filter) -> Iterator[Page[R]]:
        """The same list in whole pages."""
        return self._pages(self._path, (), self._noun, _query(filters), page_size, cursor)

    def create(self, fields: Mapping[str, object], *, idempotency_key: str | None = None) -> R:
        """Happens once, also if it is retried. Pass idempotency_key to make it happen once across runs."""
        return cast(R, self._create(self._path, (), fields, idempotency_key))

    def get(self, id: str) -> R:
        """Raises NotFound."""
        return cast(R, self._get(f"{self._path}/{{id}}", id))

    def update(
        self,
        id: str,
        patch: Mapping[str, object],
        *,
        if_match: str | int | None = None,
        idempotency_key: str | None = None,
    ) -> R:
        """A JSON merge patch: None removes a member. if_match: only while the record has this version."""
        return cast(R, self._update(f"{self._path}/{{id}}", id, patch, if_match, idempotency_key))

    def delete(self, id: str, *, if_match: str | int | None = None) -> None:
        """Raises NotFound for an unknown id."""
        self._delete(f"{self._path}/{{id}}", id, if_match)


def _query(filters: Mapping[str, object]) -> dict[str, object]:
    """``amount_gte`` is the name of ``amount[gte]``, as in the methods of deals."""
    return {re.sub(r"_(gte|lte)$", r"[\1]", name): value for name, value in filters.items()}
