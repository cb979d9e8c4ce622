// The OpenID Connect clients of one relying party, in the storage of its object. Each client has its own row,
// because its policies may be long.

import { err, ok, type Result } from '../../result.ts'
import type { Origin } from '../audit/actor.ts'
import type { AuditEvent, AuditLog } from '../audit/audit-log.ts'
import { changedMembers } from '../audit/changed-members.ts'
import type { OidcClient, OidcClientInput } from './client.ts'

/** Limit of clients of one relying party. */
const MAXIMUM_CLIENTS = 50

/** Milliseconds for which a replaced secret still works. */
export const SECRET_OVERLAP = 24 * 3600 * 1000

const PREFIX = 'oidc_client/'

/**
 * Returns functions that read and change the stored clients. A change also appends an entry to the audit log,
 * so call it in a transaction.
 */
export function openOidcClients({ kv }: Pick<DurableObjectStorage, 'kv'>, audit: Pick<AuditLog, 'append'>) {
  const get = (clientId: string) => kv.get<OidcClient>(PREFIX + clientId)
  const find = (clientId: string): Result<OidcClient, 'not_found'> => {
    const client = get(clientId)
    return client === undefined ? err('not_found') : ok(client)
  }
  const note = (event: AuditEvent, by: Origin | undefined) => audit.append(event, by, Date.now())
  const put = (client: OidcClient) => {
    kv.put(PREFIX + client.client_id, client)
    return ok(client)
  }
  return {
    list: (): readonly OidcClient[] =>
      [...kv.list<OidcClient>({ prefix: PREFIX })]
        .map(([, client]) => client)
        .sort((a, b) => a.created_at - b.created_at),
    find,
    add: (client: OidcClient, by: Origin | undefined): Result<OidcClient, 'too_many_clients'> => {
      const clients = [...kv.list({ prefix: PREFIX, limit: MAXIMUM_CLIENTS })]
      if (clients.length >= MAXIMUM_CLIENTS) return err('too_many_clients')
      note({ action: 'oidc_client.created', target: client.client_id }, by)
      return put(client)
    },
    /** Replaces the settings of a client. Its id, creation time and secrets stay the same. */
    replace: (clientId: string, input: OidcClientInput, by: Origin | undefined) => {
      const client = find(clientId)
      if (!client.ok) return client
      const { client_id, created_at, secrets } = client.value
      const members = changedMembers(client.value, input, Object.keys(input))
      if (members.length > 0) note({ action: 'oidc_client.changed', target: clientId, members }, by)
      return put({ ...input, client_id, created_at, secrets })
    },
    /**
     * Adds a new secret as the first of the list. The current secret then expires after `SECRET_OVERLAP`.
     * Older secrets are removed.
     */
    addSecret: (clientId: string, hash: string, now: number, by: Origin | undefined) => {
      const client = find(clientId)
      if (!client.ok) return client
      const [replaced] = client.value.secrets
      const former = replaced ? [{ hash: replaced.hash, expires_at: now + SECRET_OVERLAP }] : []
      note({ action: 'oidc_client.secret_rotated', target: clientId }, by)
      return put({ ...client.value, secrets: [{ hash, expires_at: null }, ...former] })
    },
    /** Removes a client. Returns false if there was none. */
    remove: (clientId: string, by: Origin | undefined): boolean => {
      const isRemoved = kv.delete(PREFIX + clientId)
      if (isRemoved) note({ action: 'oidc_client.deleted', target: clientId }, by)
      return isRemoved
    },
  }
}
