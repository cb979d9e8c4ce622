"""Client for a relying party's server. `wallet_verifier.generated` has every call and every type."""

from .errors import Refused, VerifierError
from .signed import decrypt_claims, verify_receipt
from .verifier import Verifier
from .webhook import verify_webhook

__all__ = ["Refused", "Verifier", "VerifierError", "decrypt_claims", "verify_receipt", "verify_webhook"]
