// The OpenID Connect clients of one relying party, in the storage of its object. Each client has its own row,
// because its policies may be long.

import { err, ok, type Result } from '../../result.ts'
import type { OidcClient, OidcClientInput } from './client.ts'

/** Limit of clients of one relying party. */
const MAXIMUM_CLIENTS = 50

/** Milliseconds for which a replaced secret still works. */
export const SECRET_OVERLAP = 24 * 3600 * 1000

const PREFIX = 'oidc_client/'

/** Returns the operations on the stored clients. */
export function openOidcClients({ kv }: Pick<DurableObjectStorage, 'kv'>) {
  const get = (clientId: string) => kv.get<OidcClient>(PREFIX + clientId)
  const put = (client: OidcClient): OidcClient => {
    kv.put(PREFIX + client.client_id, client)
    return client
  }
  const change = (clientId: string, step: (client: OidcClient) => OidcClient) => {
    const client = get(clientId)
    return client === undefined ? err('not_found') : ok(put(step(client)))
  }
  return {
    list: (): readonly OidcClient[] =>
      [...kv.list<OidcClient>({ prefix: PREFIX })]
        .map(([, client]) => client)
        .sort((a, b) => a.created_at - b.created_at),
    find: (clientId: string): Result<OidcClient, 'not_found'> => {
      const client = get(clientId)
      return client === undefined ? err('not_found') : ok(client)
    },
    add: (client: OidcClient): Result<OidcClient, 'too_many_clients'> => {
      const clients = [...kv.list({ prefix: PREFIX, limit: MAXIMUM_CLIENTS })]
      return clients.length >= MAXIMUM_CLIENTS ? err('too_many_clients') : ok(put(client))
    },
    /** Replaces the settings of a client. Its id, creation time and secrets stay the same. */
    replace: (clientId: string, input: OidcClientInput): Result<OidcClient, 'not_found'> =>
      change(clientId, ({ client_id, created_at, secrets }) => ({
        ...input,
        client_id,
        created_at,
        secrets,
      })),
    /**
     * Adds a new secret before the current secret, which then expires after `SECRET_OVERLAP`. Older secrets
     * are removed.
     */
    addSecret: (clientId: string, hash: string, now: number): Result<OidcClient, 'not_found'> =>
      change(clientId, (client) => {
        const [replaced] = client.secrets
        const former = replaced ? [{ hash: replaced.hash, expires_at: now + SECRET_OVERLAP }] : []
        return { ...client, secrets: [{ hash, expires_at: null }, ...former] }
      }),
    /** Removes a client. Returns false if there was none. */
    remove: (clientId: string): boolean => kv.delete(PREFIX + clientId),
  }
}
