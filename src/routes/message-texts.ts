// Texts that routes send, by name: messages of errors, and the demo shop's entry on the start page. The
// command `npm run generate` copies these texts to assets/messages.json, from which the service reads them.

export const ROUTE_MESSAGES = {
  json_too_long: 'The body is too long: see the limit of this route.',
  json_too_deep: 'The body must be nested at most 16 levels deep.',
  json_not_json: 'The body must be JSON in UTF-8.',
  json_duplicate_member: 'An object in the body must not repeat a member.',
  entry_remains:
    'The verification is erased. Its entry in the list is removed as soon as the list can be reached; no further call is needed.',
  qr_prefetched: 'A QR must not be prefetched: request it when it is shown.',
  api_keys_full: 'The limit of 50 API keys is reached: delete one first.',
  request_without_trust_anchor:
    'none of your trust anchors or lists can vouch for it: add one to `trust_anchors` or `anchor_sets` of your settings, or ask for another type',
  anchor_set_unknown:
    'must be the name of a set: one in the `sets` of your trust anchors, or a trust list in `anchor_sets` of your settings',
  intended_use_unknown: 'must be an `intended_use` in `verifier.uses` of your settings',
  browser_needs_encryption:
    'is sent as `dc_api` through a browser, and wallets of EUDI refuse it there: use `direct_post.jwt`',
  evidence_not_configured: 'needs `evidence` with keys in the settings of the relying party',
  intent_to_retain_required: 'must not be false with evidence: the wallet must be told that data is kept',
  shop: '<li><a href="/demo">Demo shop</a><p class="soft">Buy a bottle, and prove that you are over 18.</p></li>',
} as const
