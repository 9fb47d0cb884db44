"""A call: its tries, the waits between them, and the error of the last one."""

from __future__ import annotations

import logging
import os
import ssl
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from . import jsontext, limits
from .checks import checked_idempotency_key, checked_key, checked_proxy, checked_seconds, checked_url, entity_tag
from .connection import Connections, NoResponse, Response
from .errors import BadAnswer, CrmError, InvalidInput, RequestTimeout, Unreachable
from .problems import safe_text, status_error

VERSION = "0.1.0"

_LOG = logging.getLogger("crm_client")

#: For an outage that states no Retry-After.
_MOST_UNPROMPTED_RETRIES = 3


class _Key:
    """Keeps the key out of the representation of everything that holds it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "<key>"

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be pickled")


@dataclass
class Call:
    method: str
    #: With the query, from the base URL on.
    target: str
    body: object = None
    has_body: bool = False
    idempotency_key: str | None = None
    if_match: str | int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Of a POST that changes nothing.
    is_read: bool = False
    #: The answer need not be JSON.
    is_raw: bool = False

    @property
    def is_write(self) -> bool:
        return self.method not in ("GET", "HEAD") and not self.is_read

    def __str__(self) -> str:
        return f"{self.method} {self.target.split('?', 1)[0]}"


@dataclass
class Answer:
    status: int
    #: By name in lower case.
    headers: Mapping[str, str]
    #: None for an empty body, and for one that is not JSON.
    json: Any
    text: str
    request_id: str | None
    call: Call = field(repr=False)


class Transport:
    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        *,
        timeout: float,
        max_wait: float,
        allow_insecure_http: bool,
        on_wait: Callable[[float, str], None] | None,
        proxy: str | None,
        ssl_context: ssl.SSLContext | None,
    ) -> None:
        url = base_url if base_url is not None else os.environ.get("CRM_BASE_URL", "")
        key = api_key if api_key is not None else os.environ.get("CRM_API_KEY", "")
        self._base = urlsplit(checked_url(url, allow_insecure_http))
        self._key = _Key(checked_key(key))
        self._timeout = checked_seconds("timeout", timeout, above=0)
        self._max_wait = checked_seconds("max_wait", max_wait, above=None)
        self._on_wait = on_wait
        self._connections = Connections(self._base, checked_proxy(proxy, self._base), ssl_context)
        self._blocked_until = 0.0

    @property
    def origin(self) -> str:
        return f"{self._base.scheme}://{self._base.netloc}"

    @property
    def base_path(self) -> str:
        return self._base.path.rstrip("/")

    def close(self) -> None:
        self._connections.close()

    def request(self, call: Call) -> Answer:
        """Retries until there is an answer, or a retry cannot help. Raises CrmError."""
        if call.method in ("POST", "PATCH") and not call.is_read:
            call.idempotency_key = checked_idempotency_key(call.idempotency_key or str(uuid.uuid4()))
        body = call.body if isinstance(call.body, bytes) else jsontext.write(call.body).encode() if call.has_body else None
        waited, tries, unprompted, is_in_doubt = 0.0, 0, 0, False
        while True:
            waited += self._wait_for_limit(self._max_wait - waited)
            tries += 1
            started = time.monotonic()
            try:
                response = self._try(call, body)
            except NoResponse as failure:
                error, is_lasting = self._no_response(call, failure), failure.is_final
                begun = failure.is_sent
                # A timeout counts as a wait: a call lasts little longer than max_wait.
                waited += time.monotonic() - started if failure.is_timeout else 0
                patient, asked = False, None
            else:
                if 200 <= response.status < 300:
                    return self._read(call, response)
                if is_in_doubt and call.method == "DELETE" and response.status in (404, 410):
                    # An earlier try deleted it.
                    return Answer(204, response.headers, None, "", None, call)
                error = status_error(str(call), response, self.redact)
                asked = limits.retry_after(response.status, response.headers)
                patient = limits.is_limit(response.status, response.headers) or _is_in_progress(error)
                is_lasting = not patient and response.status not in limits.TEMPORARY
                begun = _may_have_begun(response.status, asked) or _is_in_progress(error)
                if is_lasting:
                    asked = None
                error.retry_after = asked
            is_in_doubt = is_in_doubt or (call.is_write and begun)
            unprompted += 0 if asked or patient else 1
            # Not all clients of a server return at the same moment.
            wait = asked + limits.jitter() if asked else limits.backoff(tries)
            is_over = is_lasting or unprompted > _MOST_UNPROMPTED_RETRIES or waited + wait > self._max_wait
            if is_over:
                raise _final(error, tries, is_in_doubt, call.idempotency_key, not is_lasting)
            self._sleep(wait, str(error))
            waited += wait

    def _try(self, call: Call, body: bytes | None) -> Response:
        started = time.monotonic()
        headers = {
            "Accept": "application/json",
            "User-Agent": f"crm-client-python/{VERSION}",
            "Authorization": f"Bearer {self._key.text}",
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        given = {name.lower() for name in call.headers}
        headers = {name: value for name, value in headers.items() if name.lower() not in given} | dict(call.headers)
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        if call.if_match is not None:
            headers["If-Match"] = entity_tag(call.if_match)
        try:
            response = self._connections.send(call.method, call.target, headers, body, self._timeout)
        except NoResponse as failure:
            _LOG.debug("%s: %s", call, failure)
            raise
        _LOG.debug("%s: %d in %d ms", call, response.status, (time.monotonic() - started) * 1000)
        signal = limits.rate_signal(response.headers)
        if signal and signal[0] < 1 and signal[1] > 0:
            self._blocked_until = time.monotonic() + signal[1]
        return response

    def _read(self, call: Call, response: Response) -> Answer:
        given = response.headers.get("x-request-id")
        request_id = self.redact(safe_text(given)) if given else None
        text = response.body.decode("utf-8", "replace")
        try:
            value = jsontext.parse(response.body.decode()) if text.strip() else None
        except ValueError:
            if call.is_raw:
                return Answer(response.status, response.headers, None, text, request_id, call)
            # Redacted before it is cut: a part of the key is not recognised.
            shown = safe_text(self.redact(text))[:60]
            raise BadAnswer(
                f"cannot {call}: the answer is not JSON: {shown!r} ({response.status})",
                status=response.status,
                request_id=request_id,
                is_in_doubt=call.is_write,
                idempotency_key=call.idempotency_key,
            ) from None
        return Answer(response.status, response.headers, value, text, request_id, call)

    def _wait_for_limit(self, most: float) -> float:
        """Waits for the reset of a used-up rate limit; a longer wait than ``most`` is left to the server's 429."""
        left = self._blocked_until - time.monotonic()
        if left <= 0 or left > most:
            return 0
        self._sleep(left, f"the rate limit of {self.origin} is used up")
        return left

    def _sleep(self, seconds: float, reason: str) -> None:
        _LOG.debug("wait %.2f s: %s", seconds, reason)
        if self._on_wait and seconds >= 1:
            self._on_wait(seconds, reason)
        time.sleep(seconds)

    def _no_response(self, call: Call, failure: NoResponse) -> CrmError:
        message = f"cannot {call}: {self.origin} {failure}"
        return RequestTimeout(message) if failure.is_timeout else Unreachable(message)

    def redact(self, text: str) -> str:
        return text.replace(self._key.text, "[key]")


def target(base_path: str, path: str, ids: Sequence[str], query: Mapping[str, object]) -> str:
    """The path with its ids, and the query without what is None. Raises InvalidInput for an id that is no path segment."""
    for each in ids:
        if not isinstance(each, str) or each in ("", ".", ".."):
            raise InvalidInput(f"{each!r} is not an id; expected text such as 'con_0s9ntcj9g09'")
        path = path.replace("{id}", quote(each, safe=""), 1)
    pairs = [(name, _query_text(value)) for name, value in query.items() if value is not None]
    return base_path + path + (f"?{urlencode(pairs, quote_via=quote)}" if pairs else "")


def _query_text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    return str(value)


def bad_answer(answer: Answer, what: str) -> BadAnswer:
    return BadAnswer(
        f"cannot {answer.call}: {what} ({answer.status})",
        status=answer.status,
        request_id=answer.request_id,
        is_in_doubt=answer.call.is_write,
        idempotency_key=answer.call.idempotency_key if answer.call.is_write else None,
    )


def _may_have_begun(status: int, asked: float | None) -> bool:
    """A 503 with Retry-After means that the server did not start the request."""
    return status in (408, 499) or (status >= 500 and not (status == 503 and asked is not None))


def _is_in_progress(error: CrmError) -> bool:
    """An earlier try with the same key is still running."""
    return error.status == 409 and error.server_code == "idempotency_in_progress"


def _final(error: CrmError, tries: int, is_in_doubt: bool, key: str | None, is_retryable: bool) -> CrmError:
    error.is_retryable = is_retryable
    error.is_in_doubt = is_in_doubt
    error.idempotency_key = key if is_in_doubt else None
    more = f", after {tries} tries" if tries > 1 else ""
    doubt = "; it is unknown whether the server applied it" if is_in_doubt else ""
    error.args = (f"{error.args[0]}{more}{doubt}",)
    return error
