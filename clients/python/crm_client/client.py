"""The client."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, TypeVar, overload

from .checks import checked_request
from .problems import graphql_error
from .records import Records
from .resources import Resources
from .transport import Answer, Call, Transport, bad_answer, target

R = TypeVar("R")


class Client(Resources):
    """A client of one CRM. The key goes to the origin of ``base_url`` and to no other.

    ``base_url`` and ``api_key`` default to the variables CRM_BASE_URL and CRM_API_KEY. One request may take ``timeout``
    seconds; one call waits at most ``max_wait`` seconds for rate limits and outages. ``on_wait`` is called with the
    seconds and the reason of waits of a second or more. Threads may share a client. ``proxy`` is such as
    http://proxy.example.com:3128; None: that of the environment, "": none. ``ssl_context`` has other authorities than those
    of the system, or of SSL_CERT_FILE.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30,
        max_wait: float = 60,
        allow_insecure_http: bool = False,
        on_wait: Callable[[float, str], None] | None = None,
        proxy: str | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._transport = Transport(
            base_url,
            api_key,
            timeout=timeout,
            max_wait=max_wait,
            allow_insecure_http=allow_insecure_http,
            on_wait=on_wait,
            proxy=proxy,
            ssl_context=ssl_context,
        )
        super().__init__(self._transport)

    @overload
    def records(self, noun: str) -> Records[dict[str, Any]]: ...

    @overload
    def records(self, noun: str, of: type[R]) -> Records[R]: ...

    def records(self, noun: str, of: object = None) -> Records[Any]:
        """The records of any object of the server, those of its users included. ``of`` is their type, for type checkers."""
        return Records(self._transport, noun)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Any request to the server. ``body`` is sent as JSON, and bytes as they are. Raises CrmError for a status that is not 2xx."""
        headers = headers or {}
        checked_request(method, path, headers)
        more = target("", "", (), query or {})
        at = self._transport.base_path + path + (more.replace("?", "&", 1) if "?" in path else more)
        call = Call(method, at, body, body is not None, idempotency_key, headers=headers, is_raw=True)
        return self._transport.request(call)

    def graphql(
        self,
        query: str,
        variables: Mapping[str, object] | None = None,
        *,
        operation_name: str | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """The data of the answer. Raises CrmError for an answer with errors."""
        body = {"query": query, "variables": variables or {}}
        if operation_name is not None:
            body["operationName"] = operation_name
        call = Call("POST", f"{self._transport.base_path}/v1/graphql", body, has_body=True, idempotency_key=idempotency_key)
        call.is_read = "mutation" not in query
        answer = self._transport.request(call)
        members = answer.json if isinstance(answer.json, dict) else {}
        if isinstance(members.get("errors"), list) and members["errors"]:
            raise graphql_error(answer, members["errors"], self._transport.redact)
        if not isinstance(members.get("data"), dict):
            raise bad_answer(answer, "the answer has neither data nor errors")
        return members["data"]

    def __repr__(self) -> str:
        return f"<Client of {self._transport.origin}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends idle connections."""
        self._transport.close()
