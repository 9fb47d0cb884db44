"""The exceptions of this package. All derive from CrmError."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldError:
    """One entry of ``errors`` in a problem document (RFC 9457)."""

    #: JSON pointer of the member, such as ``/stage``; empty for a query parameter.
    pointer: str
    code: str
    detail: str
    #: Name of the query parameter, else empty.
    parameter: str = ""


class CrmError(Exception):
    """Anything that a server or the network does wrong."""

    #: A stable word for programs: the same in every client library and on the command line.
    code = "rejected"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        server_code: str | None = None,
        request_id: str | None = None,
        fields: Sequence[FieldError] = (),
        is_retryable: bool = False,
        is_in_doubt: bool = False,
        idempotency_key: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        #: The HTTP status; None if there was no response.
        self.status = status
        #: The ``code`` of the problem document, such as ``idempotency_key_reused``.
        self.server_code = server_code
        self.request_id = request_id
        self.fields = tuple(fields)
        #: The same call may succeed later.
        self.is_retryable = is_retryable
        #: It is unknown whether the server applied the write. Repeat it with ``idempotency_key``.
        self.is_in_doubt = is_in_doubt
        self.idempotency_key = idempotency_key
        #: Seconds that the server asked to wait.
        self.retry_after = retry_after


class InvalidInput(CrmError):
    """An argument is invalid; nothing was sent."""

    code = "invalid_input"


class BadRequest(CrmError):
    """400."""

    code = "bad_request"


class Unauthorized(CrmError):
    """401: the key is missing, unknown, expired or revoked."""

    code = "unauthorized"


class Forbidden(CrmError):
    """403: the key lacks the scope."""

    code = "forbidden"


class NotFound(CrmError):
    """404 or 410."""

    code = "not_found"


class Conflict(CrmError):
    """409."""

    code = "conflict"


class PreconditionFailed(CrmError):
    """412: the record is not at the version of ``if_match``."""

    code = "precondition_failed"


class InvalidValues(CrmError):
    """422: ``fields`` names the members."""

    code = "invalid_values"


class RateLimited(CrmError):
    """429, and the wait that the server asks for is longer than ``max_wait``."""

    code = "rate_limited"


class ServerError(CrmError):
    """5xx, after the retries."""

    code = "server_error"


class Unreachable(CrmError):
    """No connection, or one that ended before the response was complete."""

    code = "unreachable"


class RequestTimeout(CrmError):
    """No complete response within ``timeout``."""

    code = "timeout"


class BadAnswer(CrmError):
    """A response with a success status that is not what the operation returns."""

    code = "bad_answer"


class SignatureError(CrmError):
    """A webhook request that is not genuine; ``reason`` says why."""

    code = "invalid_signature"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        #: no_signature, malformed_header, signature_mismatch, stale, future or malformed_request.
        self.reason = reason


BY_STATUS: dict[int, type[CrmError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    408: RequestTimeout,
    409: Conflict,
    410: NotFound,
    412: PreconditionFailed,
    422: InvalidValues,
    429: RateLimited,
    499: RequestTimeout,
}


def error_class(status: int) -> type[CrmError]:
    return BY_STATUS.get(status, ServerError if status >= 500 else CrmError)
