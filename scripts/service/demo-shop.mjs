// The demo shop of a local service (docs/demo-shop.md): its relying party, and its address for webhooks.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { keepRelyingParty, readRelyingParty } from './demo-relying-party.mjs'
import { ROOT } from './paths.mjs'

/** Variables of the shop's Worker with the secrets of its relying party. */
export const SHOP_VARIABLES = ['DEMO_API_KEY', 'DEMO_WEBHOOK_SECRET']

/**
 * Returns what is known before the service runs: the shop's address for webhooks, and the secrets of an
 * earlier start. The service sends webhooks there only if loopback is allowed, and never calls itself.
 */
export async function openDemoShop(directory, { baseUrl, allowLoopback }) {
  const path = join(directory, 'demo-shop.json')
  const kept = readRelyingParty(path)
  const port = await freePort(Number(new URL(kept?.settings.webhook?.url ?? 'http://localhost').port))
  const address = `127.0.0.1:${port}`
  const webhook = allowLoopback === '1' ? { url: `http://${address}/demo/webhook` } : null
  const settings = {
    name: 'Demo Cellar',
    branding: { color: '#7d1f3c', logo: `data:image/png;base64,${readFileSync(LOGO, 'base64')}` },
    webhook,
    return_urls: [`${baseUrl}/demo/return`],
  }
  return { path, address, settings, variables: kept === undefined ? {} : secretsOf(kept) }
}

/**
 * Creates or updates the shop's relying party at the running service. Returns the variables of the shop's
 * Worker.
 */
export async function keepDemoShop({ path, settings }, { origin, adminToken }) {
  return secretsOf(await keepRelyingParty(path, { origin, adminToken, settings }))
}

const LOGO = join(ROOT, 'examples', 'demo-shop', 'demo-shop.png')

function secretsOf({ api_key, webhook_secret }) {
  return { DEMO_API_KEY: api_key, DEMO_WEBHOOK_SECRET: webhook_secret }
}

/** Returns the preferred port if it is free, else another free port. Zero prefers none. */
export async function freePort(preferred) {
  const probe = createServer()
  try {
    await once(probe.listen(preferred, '127.0.0.1'), 'listening')
    return probe.address().port
  } catch (error) {
    if (preferred === 0) throw error
    return freePort(0)
  } finally {
    probe.close()
  }
}
