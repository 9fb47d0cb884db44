"""The client."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from .resources import Resources
from .transport import Transport


class Client(Resources):
    """A client of one CRM. The key goes to the origin of ``base_url`` and to no other.

    ``base_url`` and ``api_key`` default to the variables CRM_BASE_URL and CRM_API_KEY. One request may take ``timeout``
    seconds; one call waits at most ``max_wait`` seconds for rate limits and outages. ``on_wait`` is called with the
    seconds and the reason of waits of a second or more. Threads may share a client.
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
    ) -> None:
        self._transport = Transport(
            base_url,
            api_key,
            timeout=timeout,
            max_wait=max_wait,
            allow_insecure_http=allow_insecure_http,
            on_wait=on_wait,
        )
        super().__init__(self._transport)

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
