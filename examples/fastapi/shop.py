"""A shop that sells wine to people over 18. See README.md."""

import hashlib
import hmac
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
import uuid

import uvicorn
from fastapi import Cookie, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

for name in ("VERIFIER_URL", "VERIFIER_API_KEY", "WEBHOOK_SECRET"):
    if not os.environ.get(name):
        sys.exit(f"Set {name}: see README.md.")
VERIFIER_URL, API_KEY = os.environ["VERIFIER_URL"], os.environ["VERIFIER_API_KEY"]
WEBHOOK_SECRET = os.environ["WEBHOOK_SECRET"].encode()
PORT = int(os.environ.get("PORT", "3000"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://localhost:{PORT}")

# Order id -> order. The id is also the visitor's login: a real shop has a database and sessions.
orders: dict[str, dict] = {}
# Ids of events that were processed: the same event may arrive twice.
seen_events: set[str] = set()

app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)


@app.get("/")
def shelf():
    return page("<p>A bottle of wine, € 12.50.</p>", may_order=True)


# 1. Ask. The person continues on the verifier's page.
@app.post("/orders")
def create_order():
    order_id = str(uuid.uuid4())
    body = {
        "credential_types": ["age_attestation"],
        "scope": ["age_over_18"],
        "purpose": "We sell wine to adults only.",
        "required_session_binding": "relying_party",
        "return_url": f"{SHOP_URL}/return",
        "metadata": {"order": order_id},
    }
    created = call("POST", "/v1/verify", body, {"Idempotency-Key": order_id})
    if created is None:
        return page("<p>The age check is not available.</p>", may_order=True, status=502)
    orders[order_id] = {
        "verification_id": created["verification_id"], "status": "pending", "is_adult": False, "event_id": None,
    }
    response = RedirectResponse(created["session_url"], 303)
    response.set_cookie("order", order_id, httponly=True, samesite="lax", secure=SHOP_URL.startswith("https"))
    return response


# 2. The browser returns. The code shows that it is the browser that has this order.
@app.get("/return")
def browser_returned(return_code: str | None = None, order: str = Cookie("")):
    if order not in orders:
        return RedirectResponse("/", 303)
    path = f"/v1/verify/{orders[order]['verification_id']}"
    # A person who declined or was rejected returns without a code.
    if return_code is None:
        result = call("GET", path)
    else:
        result = call("POST", f"{path}/return", {"return_code": return_code})
    if result is not None:
        record(orders[order], result)
    return RedirectResponse("/order", 303)


# 3. The webhook. It arrives even if the browser never returns.
@app.post("/webhook")
async def receive_event(request: Request):
    body = await request.body()
    if not is_genuine(body, request.headers.get("X-Service-Signature", "")):
        return Response(status_code=400)
    event = json.loads(body)
    if event["event_id"] not in seen_events:
        seen_events.add(event["event_id"])
        for order in orders.values():
            if order["verification_id"] == event.get("verification_id"):
                order["event_id"] = event["event_id"]
                record(order, event)
    return Response(status_code=204)


@app.get("/order")
def show_order(order: str = Cookie("")):
    if order not in orders:
        return RedirectResponse("/", 303)
    status, is_adult, event_id = (orders[order][name] for name in ("status", "is_adult", "event_id"))
    texts = {
        "pending": "We are waiting for your wallet.",
        "declined": "You declined. We learned nothing about you.",
        "expired": "That took too long.",
    }
    text = "You are over 18. The wine is yours." if is_adult else "We could not confirm your age."
    webhook = "not yet received" if event_id is None else f"received, {event_id}"
    content = f"<p>{texts.get(status, text)}</p><p>Webhook: {webhook}</p>"
    return page(content, may_order=status != "pending" and not is_adult)


def record(order: dict, result: dict) -> None:
    """Stores a final result, of a poll, a redeemed code or an event."""
    if result["status"] == "pending" or order["status"] != "pending":
        return
    order["status"] = result["status"]
    # `relying_party`: this server redeemed the code in the browser of this order.
    is_bound = result["session_binding"] == "relying_party"
    checks = result["checks"] or {}
    order["is_adult"] = result["status"] == "verified" and is_bound and checks.get("age_over_18") is True


def is_genuine(body: bytes, header: str) -> bool:
    """Checks the signature over the raw bytes, and that it is at most five minutes old."""
    t = re.search(r"(?:^|,)t=([0-9]{1,12})(?:,|$)", header)
    if not t or abs(time.time() - int(t[1])) > 300:
        return False
    expected = hmac.new(WEBHOOK_SECRET, t[1].encode() + b"." + body, hashlib.sha256).hexdigest()
    macs = re.findall(r"(?:^|,)v1=([0-9a-f]{64})", header)
    return any(hmac.compare_digest(mac, expected) for mac in macs)


def call(method: str, path: str, body: dict | None = None, headers: dict | None = None) -> dict | None:
    data = None if body is None else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(VERIFIER_URL + path, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return json.load(response)
    except (urllib.error.URLError, ValueError) as error:
        print(f"{method} {path}: {error}", file=sys.stderr)
        return None


def page(content: str, may_order: bool, status: int = 200) -> HTMLResponse:
    form = '<form method="post" action="/orders"><button>Buy wine</button></form>' if may_order else ""
    reload = "" if may_order else '<meta http-equiv="refresh" content="3">'
    text = f'<!doctype html><html lang="en"><meta charset="utf-8">{reload}<title>Wine shop</title>'
    return HTMLResponse(f"{text}{content}{form}</html>", status)


if __name__ == "__main__":
    print(f"The shop is open: {SHOP_URL}", flush=True)
    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
