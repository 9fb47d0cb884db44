"""Verification of webhook requests (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from . import jsontext
from .errors import InvalidInput, SignatureError

_MOST_SIGNATURES = 16


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """The event of a request that was signed with one of the secrets, at most ``tolerance`` seconds ago or ahead.

    ``body`` is the body as received, in bytes: decoding and encoding it again may change what was signed.
    Raises SignatureError.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise InvalidInput("body is not bytes; pass the body as it was received")
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise InvalidInput("no secret is given; expected one that begins with whsec_")
    event_id, sent_at, signatures = _claim(headers)
    signed = f"{event_id}.{sent_at}.".encode("latin-1", "replace") + bytes(body)
    expected = [base64.b64encode(hmac.digest(key, signed, "sha256")) for key in keys]
    # Every pair is compared, in constant time.
    matches = [hmac.compare_digest(one, each) for each in expected for one in signatures]
    if not any(matches):
        raise SignatureError("signature_mismatch", "signed with another secret, or the body was changed on its way")
    age = int(time.time() if now is None else now) - int(sent_at)
    if age > tolerance:
        raise SignatureError("stale", f"signed {age} s ago; expected at most {tolerance:.0f} s")
    if -age > tolerance:
        raise SignatureError("future", f"signed {-age} s ahead of the clock of this machine")
    try:
        event = jsontext.parse(bytes(body).decode())
    except ValueError:
        event = None
    members = event if isinstance(event, dict) else {}
    texts = (members.get("type"), members.get("timestamp"))
    if all(isinstance(text, str) for text in texts) and isinstance(members.get("data"), dict):
        return members
    raise SignatureError("malformed_request", "the signature is genuine, and the body is no event")


def _claim(headers: Mapping[str, str]) -> tuple[str, str, list[bytes]]:
    event_id, sent_at, signature = (_only(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not (event_id or sent_at or signature):
        raise SignatureError("no_signature", "the request has no webhook-signature")
    # The signed text is id.timestamp.body: with a dot, the end of the id could be read as the timestamp.
    if not event_id or "." in event_id or not signature or not re.fullmatch(r"[0-9]{1,12}", sent_at):
        raise SignatureError("malformed_header", "webhook-id, webhook-timestamp or webhook-signature is missing or malformed")
    signatures = [each[3:].encode("latin-1", "replace") for each in signature.split(" ") if each.startswith("v1,")]
    if len(signatures) > _MOST_SIGNATURES:
        raise SignatureError("malformed_header", f"{len(signatures)} signatures; expected at most {_MOST_SIGNATURES}")
    return event_id, sent_at, signatures


def _only(headers: Mapping[str, str], wanted: str) -> str:
    """Empty if it is missing. One that was sent twice could be read differently by others."""
    values = [value for name, value in headers.items() if name.lower() == wanted]
    if len(values) > 1:
        raise SignatureError("malformed_header", f"{wanted} was sent {len(values)} times")
    return values[0] if values else ""


def _key(secret: str) -> bytes:
    try:
        text = secret.removeprefix("whsec_").rstrip("=")
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise InvalidInput("the secret is not base64 after whsec_")
    return key
