// Routes for the settings of a relying party: its own routes, or the operator's routes for any relying party.

/** Addresses of the API. */
export type Places = {
  readonly settings: string
  readonly keys: string
  readonly webhook: string
  readonly clients: string
}

/** The routes of a relying party for its own settings. */
export const OWN: Places = {
  settings: '/v1/relying_party',
  keys: '/v1/api_keys',
  webhook: '/v1/webhook',
  clients: '/v1/oidc_clients',
}

/** The routes of the operator for one relying party. */
export function placesOf(relyingPartyId: string): Places {
  const settings = `/v1/admin/relying_parties/${encodeURIComponent(relyingPartyId)}`
  return {
    settings,
    keys: `${settings}/api_keys`,
    webhook: `${settings}/webhook`,
    clients: `${settings}/oidc_clients`,
  }
}
