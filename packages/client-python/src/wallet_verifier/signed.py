"""Verifies what the service signs with its published keys: receipts, and the claims for the relying party."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from joserfc import jwe, jws
from joserfc.errors import BadSignatureError, JoseError
from joserfc.jwk import ECKey

from .errors import Refused

# `JWT` is the type of claims of services before version 0.3. The same keys sign access tokens and receipts.
CLAIMS_TYPES = ("verification-claims+jwt", "JWT")


def verify_receipt(
    receipt: str, *, jwks: Mapping[str, Any], issuer: str, verification_id: str | None = None
) -> dict[str, Any]:
    """Verifies a receipt's signature, type, issuer and verification, and returns its members. Raises Refused.

    `jwks` is the body of `{issuer}/.well-known/jwks.json`. `issuer` is the base URL of the service. Without
    `verification_id` the receipt of any verification is accepted.
    """
    header, claims = _verify(receipt, jwks)
    if header.get("typ") != "verification-receipt+jwt":
        raise Refused("not_a_receipt")
    if claims.get("iss") != issuer or verification_id not in (None, claims.get("verification_id")):
        raise Refused("wrong_verification")
    return claims


def decrypt_claims(
    encrypted_claims: str, *, private_jwk: Mapping[str, Any], jwks: Mapping[str, Any], issuer: str, audience: str,
    verification_id: str,
) -> dict[str, Any]:
    """Decrypts the claims, and verifies their signature, type, issuer, audience and verification. Raises Refused.

    `private_jwk` is the P-256 key of the relying party. `audience` is its `relying_party_id`. The result has
    the member `credentials`, a list with the `claims` of each credential.
    """
    header, claims = _verify(_decrypt(encrypted_claims, private_jwk), jwks)
    if header.get("typ") not in CLAIMS_TYPES:
        raise Refused("not_claims")
    expected = {"iss": issuer, "aud": audience, "verification_id": verification_id}
    if any(claims.get(name) != value for name, value in expected.items()):
        raise Refused("wrong_audience")
    return claims


def _verify(text: str, jwks: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    parts = text.split(".")
    if len(parts) != 3 or not all(_is_canonical(part) for part in parts):
        raise Refused("malformed")
    header = _json_object(parts[0])
    if header.get("alg") != "ES256" or "crit" in header:
        raise Refused("malformed")
    keys = [key for key in jwks["keys"] if header.get("kid") in (None, key.get("kid"))]
    keys = [key for key in keys if key.get("kty") == "EC" and key.get("crv") == "P-256"]
    if len(keys) != 1:
        raise Refused("unknown_key")
    registry = jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
    try:
        jws.deserialize_compact(text, _key(keys[0], "kty", "crv", "x", "y"), registry=registry)
    except BadSignatureError as error:
        raise Refused("wrong_signature") from error
    except (JoseError, ValueError) as error:
        raise Refused("malformed") from error
    return header, _json_object(parts[1])


def _decrypt(text: str, private_jwk: Mapping[str, Any]) -> str:
    parts = text.split(".")
    header = _json_object(parts[0])
    if len(parts) != 5 or not isinstance(header.get("epk"), dict):
        raise Refused("malformed")
    is_known = (header.get("alg"), header.get("enc")) == ("ECDH-ES", "A256GCM")
    if not is_known or "zip" in header or "crit" in header:
        raise Refused("unsupported_encryption")
    registry = jwe.JWERegistry(algorithms=["ECDH-ES", "A256GCM"], strict_check_header=False)
    try:
        opened = jwe.decrypt_compact(text, _key(private_jwk, "kty", "crv", "x", "y", "d"), registry=registry)
        return (opened.plaintext or b"").decode()
    except Exception as error:  # the library and its primitives have many: none of them opens the claims
        raise Refused("decryption_failed") from error


def _key(jwk: Mapping[str, Any], *members: str) -> ECKey:
    """Imports a key without `use` and `key_ops`: the caller chose it."""
    return ECKey.import_key({member: jwk[member] for member in members})


def _json_object(part: str) -> dict[str, Any]:
    try:
        value = json.loads(_decode(part))
    except ValueError as error:
        raise Refused("malformed") from error
    if not isinstance(value, dict):
        raise Refused("malformed")
    return value


def _is_canonical(part: str) -> bool:
    """Rejects spare bits in the last character (RFC 4648 §3.5): two texts would be one JWS."""
    return base64.urlsafe_b64encode(_decode(part)).rstrip(b"=").decode() == part


def _decode(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError as error:
        raise Refused("malformed") from error
