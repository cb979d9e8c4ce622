// A relying party in test mode, so that the first session can be created by pasting one command.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from './request.mjs'
import { writePrivately } from './state.mjs'

/** Where the demo relying party's id and secrets are kept. */
export function demoRelyingPartyPath(directory) {
  return join(directory, 'demo-relying-party.json')
}

/** Keeps one demo relying party per state directory; makes it anew when its key works no more or its webhook is to change. */
export async function keepDemoRelyingParty(directory, { origin, adminToken, webhookUrl }) {
  const path = demoRelyingPartyPath(directory)
  const webhook = webhookUrl === undefined ? {} : { webhook: { url: webhookUrl } }
  if (existsSync(path)) {
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    if (kept.webhook?.url === webhookUrl && (await isAccepted(origin, kept.api_key))) return kept
  }
  const answer = await request('POST', `${origin}/v1/admin/relying_parties`, {
    bearer: adminToken,
    body: { name: 'Demo', livemode: false, ...webhook },
  })
  if (answer.status !== 201) throw new Error(`HTTP ${answer.status} ${answer.text.slice(0, 500)}`)
  const made = { ...webhook, ...answer.json() }
  writePrivately(path, JSON.stringify(made, null, 2))
  return made
}

/** An accepted key is told that there is no such session; a refused one is not told even that. */
async function isAccepted(origin, apiKey) {
  const { status } = await request('GET', `${origin}/v1/verify/v_none`, { bearer: apiKey })
  return status !== 401 && status !== 403
}
