"""Errors of this client."""

from collections.abc import Mapping
from typing import Any


class VerifierError(Exception):
    """A call failed.

    `code` is a code of the service or of this client. `unreachable`: no whole response arrived.
    `unexpected_answer`: the response is not the service's, such as one of a proxy. `detail` is the remedy, None
    without problem details (RFC 9457). `retryable`: the same call may succeed later.
    """

    def __init__(self, code: str, title: str, *, status: int | None = None, problem: Mapping[str, Any] | None = None):
        super().__init__(f"{code}: {title}")
        self.code, self.title, self.status = code, title, status
        members = problem or {}
        self.detail, self.type, self.request_id = (members.get(name) for name in ("detail", "type", "request_id"))
        self.retryable = bool(members.get("retryable", status is None))
        self.errors: list[Mapping[str, Any]] = members.get("errors") or []


class Refused(ValueError):
    """A webhook, a receipt or encrypted claims must not be used. `code` says why."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code
