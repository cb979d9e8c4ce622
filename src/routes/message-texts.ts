// Texts for some errors of routes, by error code. assets/messages.json contains these texts.

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
  shop: '<li><a href="/demo">Demo shop</a><p class="soft">Buy a bottle, and prove that you are over 18.</p></li>',
} as const
