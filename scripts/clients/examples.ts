// The shops of examples/. A visitor orders wine and answers with the test wallet: once they share, once they
// decline. Then the shop's webhook gets events with a wrong, an old and a good signature.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort, type Server } from '../../test/support/service/server.ts'
import { DIST, ROOT } from '../service/paths.mjs'
import { execute, installNodePackages, installPythonPackages, type Program } from './tools.ts'
import { openVisitor, type Visitor } from './visitor.ts'

export const EXAMPLES: readonly Program[] = [
  { name: 'express', tool: 'node', run: (server) => runShop(server, example('express'), prepareExpress) },
  { name: 'fastapi', tool: 'python3', run: (server) => runShop(server, example('fastapi'), prepareFastApi) },
  { name: 'go-net-http', tool: 'go', run: (server) => runShop(server, example('go-net-http'), prepareGo) },
]

function example(name: string): string {
  return join(ROOT, 'examples', name)
}

async function prepareExpress(cwd: string): Promise<readonly string[]> {
  await installNodePackages(cwd)
  return [process.execPath, 'shop.js']
}

async function prepareFastApi(cwd: string): Promise<readonly string[]> {
  return [await installPythonPackages(cwd), 'shop.py']
}

async function prepareGo(cwd: string): Promise<readonly string[]> {
  const program = join(DIST, 'clients', 'go-net-http')
  await execute(['go', 'build', '-o', program, '.'], { cwd })
  return [program]
}

/** Starts the shop of a folder, and buys. `prepare` returns its command. */
export async function runShop(
  server: Server,
  cwd: string,
  prepare: (cwd: string) => Promise<readonly string[]>,
): Promise<string> {
  const [command = '', ...args] = await prepare(cwd)
  const port = String(await freePort())
  const shopUrl = `http://localhost:${port}`
  const { api_key, webhook_secret } = await server.createRelyingParty({
    webhook: { url: `http://127.0.0.1:${port}/webhook` },
    return_urls: [`${shopUrl}/return`],
  })
  const settings = { VERIFIER_URL: server.baseUrl, VERIFIER_API_KEY: api_key, WEBHOOK_SECRET: webhook_secret }
  const shop = spawn(command, args, {
    cwd,
    env: { ...process.env, ...settings, PORT: port },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await untilOpen(shopUrl, () => shop.exitCode === null)
    await buy(openVisitor(shopUrl, server.baseUrl), {}, 'You are over 18. The wine is yours.')
    await buy(openVisitor(shopUrl, server.baseUrl), { decline: '1' }, 'You declined.')
    await expectSignatureChecks(shopUrl, webhook_secret)
    return 'sold, declined, and refused wrong signatures'
  } finally {
    shop.kill()
  }
}

/** A limit for a hang: it says nothing about speed. */
const LIMIT_MS = 300_000

/** Waits until a server responds with 200. */
export async function untilOpen(url: string, isRunning: () => boolean): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  for (;;) {
    if (!isRunning() || Date.now() > deadline) throw new Error('the server did not start')
    const response = await fetch(url).catch(() => undefined)
    if (response?.status === 200) return
    await setTimeout(50)
  }
}

/** Orders, answers with the test wallet, returns, and waits until the shop has the event. */
async function buy(visitor: Visitor, answer: Readonly<Record<string, string>>, text: string): Promise<void> {
  await visitor.order()
  await visitor.answer(answer)
  assert.match(await visitor.shownOrder(), new RegExp(text))
  const deadline = Date.now() + LIMIT_MS
  while (!/Webhook: received, evt_/.test(await visitor.shownOrder())) {
    if (Date.now() > deadline) throw new Error('the event did not arrive at the shop')
    await setTimeout(50)
  }
}

async function expectSignatureChecks(shopUrl: string, secret: string): Promise<void> {
  const members = { created_at: new Date().toISOString(), relying_party_id: 'rp_1', livemode: false }
  const body = JSON.stringify({ event_id: 'evt_1', event_type: 'webhook.test', ...members })
  const post = async (signingSecret: string, time: number) => {
    const mac = createHmac('sha256', signingSecret).update(`${time}.${body}`).digest('hex')
    const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': `t=${time},v1=${mac}` }
    return (await fetch(`${shopUrl}/webhook`, { method: 'POST', headers, body })).status
  }
  const now = Math.floor(Date.now() / 1000)
  assert.equal(await post(secret, now), 204, 'accepts a good signature')
  assert.equal(await post(`${secret}x`, now), 400, 'rejects a signature by another secret')
  assert.equal(await post(secret, now - 330), 400, 'rejects an old signature')
  assert.equal(await post(secret, now + 330), 400, 'rejects a signature of the future')
}
