"""Calls of one relying party."""

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from .generated import AuthenticatedClient
from .generated.api.verifications import create_verification, read_verification, redeem_return_code
from .generated.models import CreatedVerification, CreateVerification, Redemption, Verification
from .generated.types import Response
from .transport import Transport, unexpected

WAIT_SECONDS = 25
RECEIPT_TYPE = "application/verification-receipt+jwt"
T = TypeVar("T")


class Verifier:
    """Creates verifications and reads their results. Raises VerifierError if a call fails.

    `base_url` is the origin of the service. `token` is an API key, or a function that returns the current
    access token. `timeout` limits one attempt, in seconds, beside the time of a long poll.
    """

    def __init__(
        self, base_url: str, token: str | Callable[[], str], *, timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ):
        sender = Transport(token, timeout, transport or httpx.HTTPTransport())
        self.client = AuthenticatedClient(base_url=base_url, token="", httpx_args={"transport": sender})
        """For the other calls: `list_events.sync(client=verifier.client)`. They raise VerifierError, too."""

    def create(
        self, request: CreateVerification | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> CreatedVerification:
        """Creates a verification. `request` is the JSON body as a mapping, or the generated type.

        Without an `idempotency_key` the client generates one: a retry then returns the same verification.
        """
        body = request if isinstance(request, CreateVerification) else CreateVerification.from_dict(request)
        key = idempotency_key or str(uuid.uuid4())
        options = {"client": self.client, "body": body, "idempotency_key": key}
        return _value(CreatedVerification, create_verification.sync_detailed, **options)

    def get(self, verification_id: str) -> Verification:
        """Reads the current state of a verification."""
        return _value(Verification, read_verification.sync_detailed, verification_id, client=self.client)

    def wait(self, verification_id: str, *, timeout: float = 600.0) -> Verification:
        """Long-polls until a verification has ended, or for `timeout` seconds. Returns its state then."""
        deadline = time.monotonic() + timeout
        state = self.get(verification_id)
        while state.status == "pending":
            seconds = min(int(deadline - time.monotonic()), WAIT_SECONDS)
            if seconds < 1:
                break
            poll = {"client": self.client, "wait": seconds, "after_version": state.version}
            state = _value(Verification, read_verification.sync_detailed, verification_id, **poll)
        return state

    def receipt(self, verification_id: str) -> str:
        """Returns the receipt of an ended verification, a compact JWS. `verify_receipt` verifies it."""
        path = f"/v1/verify/{quote(verification_id, safe='')}/receipt"
        response = self.client.get_httpx_client().get(path, headers={"Accept": RECEIPT_TYPE})
        if response.headers.get("Content-Type", "").split(";")[0].strip().lower() != RECEIPT_TYPE:
            raise unexpected(response.status_code)
        return response.text

    def redeem(self, verification_id: str, return_code: str) -> Verification:
        """Redeems the `return_code` that a browser brought to your `return_url`."""
        body = Redemption(return_code=return_code)
        return _value(Verification, redeem_return_code.sync_detailed, verification_id, client=self.client, body=body)


def _value(expected: type[T], call: Callable[..., Response[Any]], *args: Any, **options: Any) -> T:
    """Returns the body of a success. A body of another form does not come from the service."""
    try:
        response = call(*args, **options)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unexpected(200) from error
    if not isinstance(response.parsed, expected):
        raise unexpected(int(response.status_code))
    return response.parsed
