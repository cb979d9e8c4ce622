"""Gives the shared vectors to the installed Python client. Prints each difference, and fails if there is one."""

import json
import sys

from wallet_verifier import Refused, decrypt_claims, verify_receipt, verify_webhook

with open(sys.argv[1], encoding="utf-8") as file:
    VECTORS = json.load(file)


def webhook(body, signature, secrets, now):
    return verify_webhook(body.encode(), signature, secrets, now=now).event_type


def receipt(receipt, **checks):
    return verify_receipt(receipt, **checks)["verification_id"]


def claims(encrypted_claims, **checks):
    return decrypt_claims(encrypted_claims, **checks)["verification_id"]


def decide(function, arguments):
    try:
        return {"accepts": function(**arguments)}
    except Refused as refused:
        return {"error": refused.code}


count, differences = 0, []
for kind, function in {"webhooks": webhook, "receipts": receipt, "claims": claims}.items():
    for case in VECTORS[kind]["cases"]:
        arguments = {**VECTORS[kind]["good"], **case}
        name = arguments.pop("name")
        expected = {key: arguments.pop(key) for key in ("accepts", "error") if key in arguments}
        actual = decide(function, arguments)
        count += 1
        if actual != expected:
            differences.append(f"{kind}, {name}: expected {expected}, got {actual}")
print("\n".join(differences) or f"{count} vectors")
sys.exit(1 if differences else 0)
