// Texts of the warnings about settings, by warning code. Placeholders are in braces.

/** Texts for assets/messages.json. That file also has the texts of REGISTRATION_FAULTS, as warnings. */
export const WARNINGS = {
  registration_covers_nothing:
    'The registration certificate covers no claim of any known credential type, so it permits no request: register the claims that you request.',
  type_not_registered:
    'The registration certificate does not cover these scopes of {type}, so wallets may refuse requests for them: {scopes}. Have them registered, or leave them out.',
  google_metadata_missing:
    'The verifier certificate is one for Google Wallet, which needs metadata beside it: set google_wallet.',
  google_metadata_mismatch:
    'The verifier certificate is for other metadata, so Google Wallet refuses requests: its extension 1.3.6.1.4.1.11129.10.1 must be the SHA-256 of rp_metadata_bytes.',
  no_trust_anchor:
    'No trust anchor or list can vouch for any credential type, so every creation is refused: add one to trust_anchors or anchor_sets.',
  credential_type_without_trust_anchor:
    'No trust anchor can vouch for {type}, so creations that need it are refused: name it, or *, in the credential_types of a trust anchor.',
} as const
