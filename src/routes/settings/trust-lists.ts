// The operator's lists of trusted issuers (api/trust), below /v1/admin/trust_lists.

import type { TrustList, TrustLists } from '../../api/responses/settings.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import { directoryStub } from '../../relying-party/directory.ts'
import { SETTINGS_LIMIT } from '../../relying-party/settings/settings-schema.ts'
import type { TrustListView } from '../../relying-party/trust-lists/trust-list-record.ts'
import { type TrustListConfig, trustListSchema } from '../../relying-party/trust-lists/trust-list-schema.ts'
import {
  createTrustList,
  eraseTrustList,
  refreshTrustList,
  viewTrustList,
} from '../../relying-party/trust-lists/trust-lists.ts'
import type { AppContext } from '../edge/context.ts'
import { memberProblem, problem } from '../edge/problems.ts'
import { readJson } from '../edge/validate.ts'
import { sendJson } from './settings-handlers.ts'

/** POST: adds a list and fetches it. `last_attempt` in the response has the result of the fetch. */
export async function createList(c: AppContext): Promise<Response> {
  const input = await readJson(c, trustListSchema(loadConfig(c.env)), SETTINGS_LIMIT)
  if (!input.ok) return input.error
  const created = await createTrustList(c.env, input.value, Date.now())
  if (created.ok) return sendJson(c, toWire(created.value), 201)
  if (created.error === 'not_found') return problem(c, 'not_found') // erased while it was fetched
  if (created.error === 'exists') {
    const message = 'must not be the name of an existing list'
    return memberProblem(c, { pointer: '/name', code: 'invalid_value', message })
  }
  const detail = 'The limit of 50 trust lists is reached: delete one first.'
  return problem(c, 'invalid_request', { detail })
}

/** GET: sends the names and modes of all lists. */
export async function listLists(c: AppContext): Promise<Response> {
  return sendJson<TrustLists>(c, { trust_lists: await directoryStub(c.env).trustLists() })
}

/** GET: sends the configuration and state of one list. */
export async function showList(c: AppContext, name: string): Promise<Response> {
  const view = await viewTrustList(c.env, name)
  return view.ok ? sendJson(c, toWire(view.value)) : problem(c, 'not_found')
}

/** POST: fetches the list now. */
export async function refreshList(c: AppContext, name: string): Promise<Response> {
  const view = await refreshTrustList(c.env, name)
  return view.ok ? sendJson(c, toWire(view.value)) : problem(c, 'not_found')
}

/** DELETE: erases a list. Relying parties that subscribe to the list lose its anchors. */
export async function eraseList(c: AppContext, name: string): Promise<Response> {
  return (await eraseTrustList(c.env, name)) ? new Response(null, { status: 204 }) : problem(c, 'not_found')
}

function toWire({ config, last_attempt, lists, ...view }: TrustListView): TrustList {
  return {
    ...configToWire(config),
    ...view,
    ...(lists && {
      lists: lists.map((list) => ({
        ...list,
        next_update: isoTimeOrNull(list.next_update),
        trust_as_of: isoTimeOrNull(list.trust_as_of),
      })),
    }),
    created_at: isoTime(view.created_at),
    issued_at: isoTimeOrNull(view.issued_at),
    next_update: isoTimeOrNull(view.next_update),
    trust_as_of: isoTimeOrNull(view.trust_as_of),
    usable_until: isoTimeOrNull(view.usable_until),
    last_attempt: last_attempt && { ...last_attempt, at: isoTime(last_attempt.at) },
  }
}

/**
 * Returns the configuration as the operator sent it. The service type of a PEM bundle is internal, and is
 * left out.
 */
function configToWire(config: TrustListConfig) {
  if (config.kind !== 'pem_bundle') return config
  return { ...config, services: config.services.map(({ type: _, ...grant }) => grant) }
}
