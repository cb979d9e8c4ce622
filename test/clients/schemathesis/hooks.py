"""Replaces values that no schema can state by good ones: keys, certificates, addresses and DIDs."""

import itertools
import json
import os

import schemathesis

GOOD = json.loads(os.environ["GOOD_VALUES"])
"""Members by name, addresses, names that the service knows, and a key of each kind."""

OWN_KEY, *OTHER_KEYS = GOOD["api_keys"]
API_KEYS = itertools.cycle(OTHER_KEYS)
CALLS = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    case.body = good(case.body)
    # Creations are limited for each relying party, and a repeated idempotency key hides the body's refusal.
    # One relying party changes its settings, which the others' requests do not depend on.
    key = OWN_KEY if case.method == "PATCH" else next(API_KEYS)
    case.headers["Authorization"] = f"Bearer {key}"
    call = next(CALLS)
    if call % 20 > 0:
        case.headers.pop("Idempotency-Key", None)
    if call % 4 > 0:
        case.body = without_references(case.body)
        case.query = without_references(case.query)


REFERRING = ("after", "claim_sets", "credential_sets", "subject")
"""Members that refer to others or to an earlier response. Three of four requests are sent without them."""


def without_references(value):
    if isinstance(value, list):
        return [without_references(each) for each in value]
    if isinstance(value, dict):
        return {name: without_references(each) for name, each in value.items() if name not in REFERRING}
    return value


def good(value, name=""):
    if isinstance(value, list):
        return [good(each, f"{name}/{index}") for index, each in enumerate(value)]
    if isinstance(value, dict):
        if name in GOOD["members"]:
            return GOOD["members"][name]
        members = {member: good(each, member) for member, each in value.items()}
        return {**members, **key_of(value)}
    if not isinstance(value, str):
        return value
    if name in GOOD["members"]:
        return GOOD["members"][name]
    member, _, index = name.partition("/")
    if member in GOOD["names"] and index:
        return GOOD["names"][member]
    if member in GOOD["addresses"]:
        # Entries of a list stay different.
        return GOOD["addresses"][member] + index
    return value


def key_of(value):
    """Returns the members of a good key for an object that is a key."""
    if value.get("kty") == "RSA":
        return GOOD["rsa"]
    if value.get("kty") in ("EC", "OKP") and "x" in value:
        return GOOD["ec"]
    return {}
