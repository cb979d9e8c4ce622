"""A session with the client of openapi-python-client: generated with default options."""

import hashlib
import hmac
import json
import os
import queue
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from verifier import AuthenticatedClient
from verifier.api.verifications import create_verification, list_events, produce_outcome, read_verification
from verifier.api.your_settings import test_webhook
from verifier.models import CreateVerification, Event, OutcomeRequest, OutcomeRequestReason, TestEvent, Verification

received: queue.Queue = queue.Queue()


def is_signed(body: bytes, header: str) -> bool:
    found = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", header)
    if not found or abs(time.time() - int(found[1])) > 300:
        return False
    secret = os.environ["WEBHOOK_SECRET"].encode()
    expected = hmac.new(secret, found[1].encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, found[2])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_good = is_signed(body, self.headers["X-Service-Signature"])
        if is_good:
            event = json.loads(body)
            model = TestEvent if event["event_type"] == "webhook.test" else Event
            received.put(model.from_dict(event).event_type)
        self.send_response(204 if is_good else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = AuthenticatedClient(base_url=os.environ["VERIFIER_URL"], token=os.environ["VERIFIER_API_KEY"], timeout=300)


def create(scope: str = "age_over_18"):
    body = CreateVerification(credential_types=["age_attestation"], scope=[scope])
    return create_verification.sync(client=client, body=body)


def produce(verification_id: str, reason: OutcomeRequestReason):
    body = OutcomeRequest(reason=reason)
    return produce_outcome.sync(verification_id, client=client, body=body).verification


verified_id = create().verification_id
assert produce(verified_id, OutcomeRequestReason.VERIFIED).status == "verified"
view = read_verification.sync(verified_id, client=client, wait=1, after_version=1)
assert isinstance(view, Verification), view
assert view.checks["age_over_18"] is True

# A value that a later version adds is a value, not an error.
assert Verification.from_dict({**view.to_dict(), "status": "postponed"}).status == "postponed"

declined = produce(create().verification_id, OutcomeRequestReason.ACCESS_DENIED)
assert declined.status == "declined", declined

problem = create("shoe_size")
assert (problem.code, problem.errors[0].pointer) == ("unsupported_scope", "/scope/0"), problem

# An event is listed soon after its outcome.
while not (page := list_events.sync(client=client, limit=1)).has_more:
    pass
assert len(page.events) == 1

assert test_webhook.sync(client=client).event.event_type == "webhook.test"
types = sorted(received.get(timeout=300) for _ in range(3))
assert types == ["verification.declined", "verification.verified", "webhook.test"], types
print(f"{view.status}, {declined.status}, {len(types)} signed events")
