// Relying parties of a local service, in test mode. One is for the first session (the `curl` command at the
// start), one for the demo shop.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { request } from './request.mjs'
import { writePrivately } from './state.mjs'

/** Returns the path of the file with the demo relying party's id and secrets. */
export function demoRelyingPartyPath(directory) {
  return join(directory, 'demo-relying-party.json')
}

/** Creates or updates the demo relying party of a state directory. */
export function keepDemoRelyingParty(directory, { origin, adminToken, webhookUrl }) {
  const webhook = webhookUrl === undefined ? null : { url: webhookUrl }
  const settings = { name: 'Demo', webhook }
  return keepRelyingParty(demoRelyingPartyPath(directory), { origin, adminToken, settings })
}

/** Returns a code that opens a relying party's console once; null if the service has no such codes. */
export async function consoleCode({ origin, hasConsoleCode }, adminToken, { api_key }) {
  if (!hasConsoleCode) return null
  const made = await request('POST', `${origin}/console/codes`, {
    bearer: adminToken,
    headers: OPERATOR,
    body: { api_key },
  })
  return made.status === 201 ? made.json().code : null
}

/**
 * Creates or updates one relying party and stores its id, secrets and settings in a file. Changed settings
 * are sent to the service. A key that no longer works leads to a new relying party. Throws when the service
 * refuses.
 */
export async function keepRelyingParty(path, { origin, adminToken, settings }) {
  const at = `${origin}/v1/admin/relying_parties`
  const kept = readRelyingParty(path)
  if (kept !== undefined && (await isAccepted(origin, kept.api_key))) {
    if (isDeepStrictEqual(kept.settings, settings)) return kept
    const changed = await request('PATCH', `${at}/${kept.relying_party_id}`, {
      bearer: adminToken,
      headers: OPERATOR,
      body: settings,
    })
    return keepAs(path, { ...kept, settings }, changed, 200)
  }
  const made = await request('POST', at, {
    bearer: adminToken,
    headers: OPERATOR,
    body: { ...settings, livemode: false },
  })
  return keepAs(path, { ...made.json(), settings }, made, 201)
}

/** The name in the service's log of changes. */
const OPERATOR = { operator: 'launcher' }

/** Returns the stored relying party, or undefined. */
export function readRelyingParty(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

function keepAs(path, relyingParty, answer, expected) {
  if (answer.status !== expected) throw new Error(`HTTP ${answer.status} ${answer.text.slice(0, 500)}`)
  writePrivately(path, JSON.stringify(relyingParty, null, 2))
  return relyingParty
}

/** Returns `true` if the key is accepted: an accepted key gets a 404 for an unknown session. */
async function isAccepted(origin, apiKey) {
  const { status } = await request('GET', `${origin}/v1/verify/v_none`, { bearer: apiKey })
  return status !== 401 && status !== 403
}
