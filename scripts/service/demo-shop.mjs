// The demonstration shop of a local service (docs/demo-shop.md): its relying party, and the address where it hears webhooks.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { keepRelyingParty, readRelyingParty } from './demo-relying-party.mjs'
import { ROOT } from './paths.mjs'

/** What the sandbox Worker is told of its relying party. */
export const SHOP_VARIABLES = ['DEMO_API_KEY', 'DEMO_WEBHOOK_SECRET']

/**
 * What can be said before the service runs: the shop's own address, which the service may call where loopback is allowed at all
 * (it never calls itself), and the secrets of an earlier start.
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

/** Keeps its relying party with the service that runs. Returns the variables that the sandbox must have from now on. */
export async function keepDemoShop({ path, settings }, { origin, adminToken }) {
  return secretsOf(await keepRelyingParty(path, { origin, adminToken, settings }))
}

const LOGO = join(ROOT, 'scripts', 'service', 'demo-shop.png')

function secretsOf({ api_key, webhook_secret }) {
  return { DEMO_API_KEY: api_key, DEMO_WEBHOOK_SECRET: webhook_secret }
}

/** The port that is wished for, or one that is free. Zero wishes for none. */
async function freePort(wished) {
  const probe = createServer()
  try {
    await once(probe.listen(wished, '127.0.0.1'), 'listening')
    return probe.address().port
  } catch (error) {
    if (wished === 0) throw error
    return freePort(0)
  } finally {
    probe.close()
  }
}
