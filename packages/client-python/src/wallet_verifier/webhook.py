"""Verifies webhooks: `X-Service-Signature: t=<unix seconds>,v1=<hex>` over the received bytes."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Sequence

from .errors import Refused
from .generated.models import Event, TestEvent


def verify_webhook(
    body: bytes, signature: str | None, secrets: str | Sequence[str], *, tolerance: float = 300,
    now: float | None = None,
) -> Event | TestEvent:
    """Verifies a webhook and returns its event. Raises Refused: then respond with 400 and do nothing else.

    `body` is the body as received. `signature` is the header's value, None if absent. `secrets` is the webhook
    secret, or both secrets during a rotation. `now` is in Unix seconds. The same event may arrive more than
    once: compare `event_id`. The test event belongs to no verification.
    """
    entries = [part.strip().split("=") for part in (signature or "").split(",")]
    times = [value for name, *values in entries if name == "t" for value in (*values, "")[:1]]
    macs = [value for name, *values in entries if name == "v1" for value in values[:1]]
    macs = [mac.lower() for mac in macs if re.fullmatch(r"[0-9A-Fa-f]{64}", mac)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,15}", times[0]) or not macs:
        raise Refused("malformed_signature")
    if abs((time.time() if now is None else now) - int(times[0])) > tolerance:
        raise Refused("outside_tolerance")
    signed = times[0].encode() + b"." + body
    keys = [secrets] if isinstance(secrets, str) else secrets
    expected = [hmac.new(key.encode(), signed, hashlib.sha256).hexdigest() for key in keys]
    if not any(hmac.compare_digest(mac, one) for mac in macs for one in expected):
        raise Refused("wrong_signature")
    try:
        event = json.loads(body)
        return (TestEvent if event["event_type"] == "webhook.test" else Event).from_dict(event)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("malformed_body") from error
