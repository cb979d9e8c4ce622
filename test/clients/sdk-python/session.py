"""A session with the Python client, against a service behind a proxy that loses responses. See scripts/clients."""

import json
import os
import queue
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

from joserfc.jwk import ECKey
from wallet_verifier import Refused, Verifier, VerifierError, decrypt_claims, verify_receipt, verify_webhook
from wallet_verifier.generated.api.verifications import produce_outcome
from wallet_verifier.generated.models import OutcomeRequest, OutcomeRequestReason

ISSUER = os.environ["ISSUER"]
received: queue.Queue = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            received.put(verify_webhook(body, self.headers["X-Service-Signature"], os.environ["WEBHOOK_SECRET"]))
            self.send_response(204)
        except Refused:
            self.send_response(400)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

verifier = Verifier(os.environ["VERIFIER_URL"], os.environ["VERIFIER_API_KEY"])
key = ECKey.generate_key("P-256")
created = verifier.create(
    {
        "credential_types": ["pid"],
        "scope": ["family_name"],
        "claims_encryption_jwk": {k: v for k, v in key.as_dict(private=False).items() if k in ("kty", "crv", "x", "y")},
    }
)


def answer():
    time.sleep(1)  # the client is in its long poll
    body = OutcomeRequest(reason=OutcomeRequestReason.VERIFIED)
    produce_outcome.sync(created.verification_id, client=verifier.client, body=body)


threading.Thread(target=answer, daemon=True).start()
ended = verifier.wait(created.verification_id, timeout=300)
assert ended.status == "verified", ended

with urllib.request.urlopen(f"{ISSUER}/.well-known/jwks.json") as response:
    jwks = json.load(response)
checks = {"jwks": jwks, "issuer": ISSUER, "verification_id": created.verification_id}
claims = decrypt_claims(
    ended.encrypted_claims, private_jwk=key.as_dict(private=True), audience=os.environ["RELYING_PARTY_ID"], **checks
)
assert claims["credentials"][0]["claims"]["family_name"], claims
receipt = verify_receipt(verifier.receipt(created.verification_id), **checks)
assert receipt["status"] == "verified", receipt

try:
    verifier.create({"credential_types": ["age_attestation"], "scope": ["shoe_size"]})
    raise AssertionError("an unknown scope was accepted")
except VerifierError as error:
    assert (error.code, error.errors[0]["pointer"]) == ("unsupported_scope", "/scope/0"), error

# The proxy redirects the first, and answers the second with a page of its own.
for letter in "RH":
    try:
        verifier.get("v_" + letter * 43)
        raise AssertionError("an answer of another server was accepted")
    except VerifierError as error:
        assert error.code == "unexpected_answer", error

event = received.get(timeout=300)
assert (event.verification_id, event.event_type) == (created.verification_id, "verification.verified"), event
print("verified by long poll, claims decrypted, receipt and webhook verified")
