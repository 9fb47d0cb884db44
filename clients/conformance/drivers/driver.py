"""The driver of the Python client."""

from __future__ import annotations

import base64
import logging
import sys
import traceback
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

import crm_client
from crm_client import jsontext

#: Everything that the client logs goes to stderr, where the key must not be.
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)


class Driver:
    def __init__(self) -> None:
        self.client: crm_client.Client | None = None
        self.page_size: int | None = None

    def run(self, step: dict[str, Any]) -> dict[str, Any]:
        given = step.get("with", {})
        if step["do"] == "open":
            self.client = self.open(given)
            return {"value": None}
        if step["do"] == "close":
            if self.client is not None:
                self.client.close()
            self.client = None
            return {"value": None}
        return self.call(step["call"], given)

    def open(self, given: dict[str, Any]) -> crm_client.Client:
        self.page_size = given.get("pageSize")
        return crm_client.Client(
            given["baseUrl"],
            given["apiKey"],
            timeout=given["timeoutMs"] / 1000,
            max_wait=given["maxWaitMs"] / 1000,
        )

    def call(self, call: str, given: dict[str, Any]) -> dict[str, Any]:
        if call == "webhooks.verify":
            return {"value": verify(given)}
        client = self.client
        assert client is not None
        if call == "client.show":
            return {"value": [str(client), repr(client), repr(vars(client)), repr(vars(client._transport))]}
        group, name = call.split(".")
        resource = client.records(given["noun"]) if group == "records" else getattr(client, group, None)
        method = getattr(resource, name, None)
        if method is None:
            return {"isLacking": True}
        return {"value": self.result(method, name, given)}

    def result(self, method: Any, name: str, given: dict[str, Any]) -> object:
        parents = [given["parent"]] if "parent" in given else []
        if name == "list":
            filters = {key.replace("[", "_").replace("]", ""): value for key, value in given.get("filters", {}).items()}
            listed = method(
                *parents,
                **filters,
                **some(given, limit="limit", cursor="cursor"),
                page_size=self.page_size,
            )
            return list(islice(listed, given.get("take")))
        if name == "create":
            return method(*parents, given["fields"], **some(given, idempotencyKey="idempotency_key"))
        if name == "update":
            options = some(given, idempotencyKey="idempotency_key", ifMatch="if_match")
            return method(given["id"], given["fields"], **options)
        return method(given["id"], **some(given, ifMatch="if_match"))


def some(given: dict[str, Any], **names: str) -> dict[str, Any]:
    return {name: given[key] for key, name in names.items() if key in given}


def verify(given: dict[str, Any]) -> object:
    options = some(given, now="now")
    return crm_client.verify(base64.b64decode(given["body"]), given["headers"], given["secrets"], **options)


def error_of(error: Exception) -> dict[str, Any]:
    # As an uncaught exception is shown.
    traceback.print_exc()
    print(repr(error), repr(vars(error)), file=sys.stderr)
    if not isinstance(error, crm_client.CrmError):
        return {"code": "bug", "message": repr(error)}
    return {
        "code": error.code,
        "message": str(error),
        "status": error.status,
        "serverCode": error.server_code,
        "requestId": error.request_id,
        "fields": [vars(each) for each in error.fields],
        "isRetryable": error.is_retryable,
        "isInDoubt": error.is_in_doubt,
        "idempotencyKey": error.idempotency_key,
        "retryAfterMs": None if error.retry_after is None else error.retry_after * 1000,
        "reason": getattr(error, "reason", None),
    }


def main() -> None:
    driver = Driver()
    for line in sys.stdin.buffer:
        step = jsontext.parse(line.decode())
        try:
            reply = driver.run(step)
        except Exception as error:
            reply = {"error": error_of(error)}
        sys.stdout.buffer.write(jsontext.write({"id": step["id"], **reply}).encode() + b"\n")
        sys.stdout.buffer.flush()


main()
