"""Sends a request, with retries. Only the status decides about a retry: a proxy may have sent the body."""

import json
import time
from collections.abc import Callable

import httpx

from .errors import VerifierError

ATTEMPTS = 4
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 30.0
LARGEST_BODY = 64 * 1024 * 1024
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
# A second call of these has no second effect. Other POST requests need an Idempotency-Key.
REPEATABLE = ("/cancel", "/return", "/dc-api/request", "/dc-api", "/webhook/enable", "/webhook/redeliver")


class Transport(httpx.BaseTransport):
    """Raises VerifierError for every response that is no success."""

    def __init__(self, token: str | Callable[[], str], timeout: float, inner: httpx.BaseTransport):
        self._token, self._timeout, self._inner = token, timeout, inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        for count in range(1, ATTEMPTS + 1):
            pause = FIRST_PAUSE * 2**count
            try:
                response = self._attempt(request)
                if response.is_success:
                    return response
                failure = problem_of(response)
                pause = retry_after(response, pause)
            except httpx.TransportError as error:
                failure = VerifierError("unreachable", str(error) or type(error).__name__)
            if count == ATTEMPTS or not is_retried(request, failure.status):
                break
            time.sleep(pause)
        raise failure

    def _attempt(self, request: httpx.Request) -> httpx.Response:
        seconds = self._timeout + int(request.url.params.get("wait", 0))
        deadline = time.monotonic() + seconds
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        token = self._token if isinstance(self._token, str) else self._token()
        request.headers["Authorization"] = f"Bearer {token}"
        request.headers["Accept-Encoding"] = "identity"
        response = self._inner.handle_request(request)
        body = bytearray()
        try:
            for chunk in response.iter_raw():
                body += chunk
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the response took too long")
                if len(body) > LARGEST_BODY:
                    raise httpx.ReadError("the response is too large")
        finally:
            response.close()
        return httpx.Response(response.status_code, headers=response.headers, content=bytes(body), request=request)

    def close(self) -> None:
        self._inner.close()


def is_retried(request: httpx.Request, status: int | None) -> bool:
    repeatable = request.method != "POST" or "Idempotency-Key" in request.headers
    if repeatable or request.url.path.endswith(REPEATABLE):
        return status is None or status in RETRIED
    return status == 429


def problem_of(response: httpx.Response) -> VerifierError:
    """Reads problem details (RFC 9457)."""
    status = response.status_code
    try:
        problem = json.loads(response.content)
        return VerifierError(problem["code"], problem["title"], status=status, problem=problem)
    except (ValueError, KeyError, TypeError):
        return unexpected(status)


def unexpected(status: int) -> VerifierError:
    title = f"HTTP {status} with a body that is not of the service: check the address and proxies before it"
    return VerifierError("unexpected_answer", title, status=status, problem={"retryable": status in RETRIED})


def retry_after(response: httpx.Response, otherwise: float) -> float:
    """Reads `Retry-After` in seconds. Other forms count as absent."""
    seconds = response.headers.get("Retry-After", "")
    is_number = seconds.isascii() and seconds.isdigit() and len(seconds) < 10
    return min(float(seconds), LONGEST_PAUSE) if is_number else otherwise
