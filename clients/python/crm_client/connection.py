"""One HTTP request: connections, and one time limit for all of it."""

from __future__ import annotations

import base64
import http.client
import io
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, unquote

#: Servers close idle connections after some seconds; a request on a closed one would be lost.
_IDLE_SECONDS = 3.0

MOST_BYTES = 64 * 1024 * 1024


class NoResponse(Exception):
    """No complete response. ``is_sent``: the server may have received the request."""

    def __init__(self, reason: str, *, is_sent: bool, is_timeout: bool = False, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_sent = is_sent
        self.is_timeout = is_timeout
        #: A retry does not help.
        self.is_final = is_final


class Response:
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        #: By name in lower case; several of one name are joined with commas.
        self.headers = headers
        self.body = body


class _TimedReader(io.RawIOBase):
    """Reads from a socket until a point in time: the timeout of a socket is for each read alone."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedSocket:
    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._sock, self._deadline))


class Connections:
    """Connections to one origin, kept open between requests. Threads may share it."""

    def __init__(self, base: SplitResult, proxy: SplitResult | None, ssl_context: ssl.SSLContext | None) -> None:
        self._base = base
        self._proxy = proxy
        self._tls = (ssl_context or ssl.create_default_context()) if base.scheme == "https" else None
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Response:
        """Raises NoResponse."""
        deadline = time.monotonic() + timeout
        if self._proxy and not self._tls:
            target = f"http://{self._base.netloc}{target}"
            headers = {**headers, **self._proxy_headers()}
        connection = self._take() or self._open(deadline)
        is_reusable = False
        try:
            response = self._exchange(connection, method, target, headers, body, deadline)
            is_reusable = not response[1]
            return response[0]
        finally:
            if is_reusable:
                with self._lock:
                    self._idle.append((connection, time.monotonic()))
            else:
                connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _take(self) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            if time.monotonic() - since < _IDLE_SECONDS:
                return connection
            connection.close()

    def _open(self, deadline: float) -> http.client.HTTPConnection:
        left = max(0.001, deadline - time.monotonic())
        connection: http.client.HTTPConnection
        first = self._proxy or self._base
        host, port = first.hostname or "", first.port or (80 if self._proxy else None)
        if self._tls:
            connection = http.client.HTTPSConnection(host, port, timeout=left, context=self._tls)
            if self._proxy:
                connection.set_tunnel(self._base.hostname or "", self._base.port, self._proxy_headers())
        else:
            connection = http.client.HTTPConnection(host, port, timeout=left)
        try:
            connection.connect()
        except TimeoutError:
            raise NoResponse("could not be reached in time", is_sent=False, is_timeout=True) from None
        except ssl.SSLError as error:
            reason = f"no TLS connection: {error.reason or error}"
            raise NoResponse(reason, is_sent=False, is_final=True) from None
        except (OSError, http.client.HTTPException) as error:
            refusal = re.search(r"failed: (\d{3})", str(error)) if self._proxy else None
            reason = f"the proxy answered {refusal[1]}" if refusal else getattr(error, "strerror", None) or "cannot be reached"
            through = f", through the proxy {host}:{port}" if self._proxy else ""
            raise NoResponse(f"{reason}{through}", is_sent=False) from None
        return connection

    def _proxy_headers(self) -> dict[str, str]:
        if not self._proxy or self._proxy.username is None:
            return {}
        account = f"{unquote(self._proxy.username)}:{unquote(self._proxy.password or '')}"
        return {"Proxy-Authorization": f"Basic {base64.b64encode(account.encode()).decode()}"}

    @staticmethod
    def _exchange(
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None,
        deadline: float,
    ) -> tuple[Response, bool]:
        timed: Any = connection
        timed.response_class = lambda sock, **rest: http.client.HTTPResponse(_TimedSocket(sock, deadline), **rest)  # type: ignore[arg-type]
        try:
            if connection.sock is not None:
                connection.sock.settimeout(max(0.001, deadline - time.monotonic()))
            connection.request(method, target, body, dict(headers))
            received = connection.getresponse()
            content = received.read(MOST_BYTES + 1)
            if received.length:
                raise http.client.IncompleteRead(b"")
        except TimeoutError:
            raise NoResponse("did not answer in full in time", is_sent=True, is_timeout=True) from None
        except http.client.BadStatusLine as error:
            is_closed = isinstance(error, http.client.RemoteDisconnected)
            reason = "closed the connection before its answer" if is_closed else "does not speak HTTP"
            raise NoResponse(reason, is_sent=True, is_final=not is_closed) from None
        except (OSError, http.client.HTTPException, ValueError):
            raise NoResponse("closed the connection before its answer was complete", is_sent=True) from None
        if len(content) > MOST_BYTES:
            raise NoResponse("sent more than 64 MiB", is_sent=True, is_final=True)
        named: dict[str, str] = {}
        for name, value in received.getheaders():
            lower = name.lower()
            named[lower] = f"{named[lower]}, {value}" if lower in named else value
        return Response(received.status, named, content), received.will_close
