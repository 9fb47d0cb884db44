"""A CRM of its own for tests, which the command line tool ``crm`` runs."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Sequence
from types import TracebackType

_STOP_SECONDS = 10


class Sandbox:
    """A running sandbox. ``env`` has its address, its key, and ``env`` of the fixtures, for other processes."""

    def __init__(self, process: subprocess.Popen[bytes], env: dict[str, str]) -> None:
        self._process = process
        self.env = env
        self.base_url = env["CRM_BASE_URL"]
        self.api_key = env["CRM_API_KEY"]

    def __repr__(self) -> str:
        return f"Sandbox({self.base_url!r})"

    def stop(self) -> None:
        """End it; its data is gone."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def start_sandbox(
    seed: Sequence[str] = (), *flags: str, crm: Sequence[str] = ("crm",)
) -> Sandbox:
    """Start a sandbox with these fixture files and further flags of ``crm sandbox start``.

    It ends with ``stop()``, or after ``--ttl`` (an hour) if this process is killed. Raises
    ``RuntimeError`` with what ``crm`` said if it does not start.
    """
    if isinstance(seed, str):
        raise TypeError("seed is a list of files: start_sandbox(['demo.yaml'])")
    name = f"test-{os.getpid()}-{secrets.token_hex(4)}"
    words = [word for file in seed for word in ("--seed", file)]
    start = [*crm, "sandbox", "start", "--foreground", "--name", name, *words, *flags]
    process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not process.stdout or not process.stderr:
        raise RuntimeError("crm has no output")
    if not process.stdout.readline():
        said = process.stderr.read().decode(errors="replace").strip()
        process.stdout.close()
        process.stderr.close()
        process.wait()
        raise RuntimeError(f"crm sandbox start failed: {said}")
    process.stderr.close()
    shown = [*crm, "sandbox", "env", "--name", name, "-o", "json"]
    env = json.loads(subprocess.run(shown, check=True, stdout=subprocess.PIPE).stdout)
    return Sandbox(process, env)
