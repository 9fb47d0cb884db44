"""Client of the CRM service: contacts, deals, notes, pipelines and webhooks."""

from .client import Client
from .errors import (
    BadAnswer,
    BadRequest,
    Conflict,
    CrmError,
    FieldError,
    Forbidden,
    InvalidInput,
    InvalidValues,
    NotFound,
    PreconditionFailed,
    RateLimited,
    RequestTimeout,
    ServerError,
    SignatureError,
    Unauthorized,
    Unreachable,
)
from .jsontext import write as dumps
from .paging import Page
from .records import Records
from .sandbox import Sandbox, start_sandbox
from .signatures import verify
from .transport import VERSION as __version__
from .transport import Answer

__all__ = [
    "Answer",
    "BadAnswer",
    "BadRequest",
    "Client",
    "Conflict",
    "CrmError",
    "FieldError",
    "Forbidden",
    "InvalidInput",
    "InvalidValues",
    "NotFound",
    "Page",
    "PreconditionFailed",
    "RateLimited",
    "Records",
    "RequestTimeout",
    "Sandbox",
    "ServerError",
    "SignatureError",
    "Unauthorized",
    "Unreachable",
    "__version__",
    "dumps",
    "start_sandbox",
    "verify",
]
