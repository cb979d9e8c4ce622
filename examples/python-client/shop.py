"""A shop that sells wine to people over 18, with the client for Python. See README.md."""

import html
import os
import sys
import uuid
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from wallet_verifier import Refused, Verifier, VerifierError, verify_webhook

for name in ("VERIFIER_URL", "VERIFIER_API_KEY", "WEBHOOK_SECRET"):
    if not os.environ.get(name):
        sys.exit(f"Set {name}: see README.md.")
PORT = int(os.environ.get("PORT", "3000"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://localhost:{PORT}")
verifier = Verifier(os.environ["VERIFIER_URL"], os.environ["VERIFIER_API_KEY"])
# Order id -> order. The id is also the visitor's login: a real shop has a database and sessions.
orders: dict[str, dict] = {}


def record(order: dict, result) -> None:
    """Stores a final result, of a read, a redeemed code or an event."""
    if result.status == "pending" or order["status"] != "pending":
        return
    # `relying_party`: this server redeemed the code in the browser of this order.
    is_bound = result.session_binding == "relying_party"
    is_proven = result.checks is not None and result.checks["age_over_18"] is True
    order.update(status=result.status, is_adult=result.status == "verified" and is_bound and is_proven)


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        path, order = urlsplit(self.path).path, self.order()
        if path == "/":
            self.page("A bottle of wine, € 12.50.", may_order=True)
        elif order is None or path not in ("/return", "/order"):
            self.redirect("/")
        elif path == "/return":
            self.complete(order)
        else:
            self.show(order)

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1_000_000))
        self.ask() if self.path == "/orders" else self.receive(body)

    def ask(self):
        """1. Ask. The person continues on the verifier's page."""
        order_id = str(uuid.uuid4())
        request = {
            "credential_types": ["age_attestation"],
            "scope": ["age_over_18"],
            "purpose": "We sell wine to adults only.",
            "required_session_binding": "relying_party",
            "return_url": f"{SHOP_URL}/return",
            "metadata": {"order": order_id},
        }
        try:
            created = verifier.create(request, idempotency_key=order_id)
        except VerifierError as error:
            print(error, error.detail)
            return self.page("The age check is not available.", may_order=True, status=502)
        orders[order_id] = {"id": created.verification_id, "status": "pending", "is_adult": False, "event": None}
        secure = "; Secure" if SHOP_URL.startswith("https") else ""
        self.redirect(created.session_url, f"order={order_id}; Path=/; HttpOnly; SameSite=Lax{secure}")

    def complete(self, order):
        """2. The browser returns. The code shows that it is the browser that has this order."""
        code = parse_qs(urlsplit(self.path).query).get("return_code")
        try:  # A person who declined or was rejected returns without a code.
            record(order, verifier.redeem(order["id"], code[0]) if code else verifier.get(order["id"]))
        except VerifierError as error:
            print(error)
        self.redirect("/order")

    def receive(self, body):
        """3. The webhook. It arrives even if the browser never returns."""
        try:
            event = verify_webhook(body, self.headers["X-Service-Signature"], os.environ["WEBHOOK_SECRET"])
        except Refused:
            return self.answer(400)
        for order in orders.values():
            if order["id"] == getattr(event, "verification_id", None) and order["event"] != event.event_id:
                order["event"] = event.event_id
                record(order, event)
        self.answer(204)

    def show(self, order):
        texts = {
            "pending": "We are waiting for your wallet.",
            "declined": "You declined. We learned nothing about you.",
            "expired": "That took too long.",
        }
        text = "You are over 18. The wine is yours." if order["is_adult"] else "We could not confirm your age."
        webhook = "not yet received" if order["event"] is None else f"received, {order['event']}"
        may_order = order["status"] != "pending" and not order["is_adult"]
        self.page(f"{texts.get(order['status'], text)} Webhook: {webhook}", may_order)

    def order(self):
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("order")
        return orders.get(cookie.value) if cookie else None

    def page(self, text, may_order, status=200):
        form = '<form method="post" action="/orders"><button>Buy wine</button></form>'
        reload = '<meta http-equiv="refresh" content="3">'
        head = f'<!doctype html><html lang="en">{"" if may_order else reload}<title>Wine shop</title>'
        content = f"{head}<p>{html.escape(text)}</p>{form if may_order else ''}</html>"
        self.answer(status, content, {"Content-Type": "text/html; charset=utf-8"})

    def redirect(self, address, cookie=None):
        self.answer(303, headers={"Location": address, **({"Set-Cookie": cookie} if cookie else {})})

    def answer(self, status, content="", headers=None):
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(content.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *_):
        pass


print(f"The shop is open: {SHOP_URL}", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Shop).serve_forever()
