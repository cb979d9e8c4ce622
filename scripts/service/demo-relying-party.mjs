// Relying parties in test mode that every local service has: one for the first session, created by pasting a command, and the
// demonstration shop.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { request } from './request.mjs'
import { writePrivately } from './state.mjs'

/** Where the demo relying party's id and secrets are kept. */
export function demoRelyingPartyPath(directory) {
  return join(directory, 'demo-relying-party.json')
}

/** Keeps the demo relying party of a state directory. */
export function keepDemoRelyingParty(directory, { origin, adminToken, webhookUrl }) {
  const webhook = webhookUrl === undefined ? null : { url: webhookUrl }
  const settings = { name: 'Demo', webhook }
  return keepRelyingParty(demoRelyingPartyPath(directory), { origin, adminToken, settings })
}

/**
 * Keeps one relying party in a file: its id, its secrets and its settings. It is given other settings when they change, and made
 * anew when its key works no more. Throws when the service refuses.
 */
export async function keepRelyingParty(path, { origin, adminToken, settings }) {
  const at = `${origin}/v1/admin/relying_parties`
  const kept = readRelyingParty(path)
  if (kept !== undefined && (await isAccepted(origin, kept.api_key))) {
    if (isDeepStrictEqual(kept.settings, settings)) return kept
    const changed = await request('PATCH', `${at}/${kept.relying_party_id}`, {
      bearer: adminToken,
      body: settings,
    })
    return keepAs(path, { ...kept, settings }, changed, 200)
  }
  const made = await request('POST', at, { bearer: adminToken, body: { ...settings, livemode: false } })
  return keepAs(path, { ...made.json(), settings }, made, 201)
}

/** What was kept before; undefined where nothing was. */
export function readRelyingParty(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

function keepAs(path, relyingParty, answer, expected) {
  if (answer.status !== expected) throw new Error(`HTTP ${answer.status} ${answer.text.slice(0, 500)}`)
  writePrivately(path, JSON.stringify(relyingParty, null, 2))
  return relyingParty
}

/** An accepted key is told that there is no such session; a refused one is not told even that. */
async function isAccepted(origin, apiKey) {
  const { status } = await request('GET', `${origin}/v1/verify/v_none`, { bearer: apiKey })
  return status !== 401 && status !== 403
}
