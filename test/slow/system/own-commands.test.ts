// The commands of a relying party (`npm run admin -- verifications list`, …) with a running service.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { checkSignature, type Receiver, startReceiver } from '../../support/service/receiver.ts'
import {
  type CreatedRelyingParty,
  createRelyingParty,
  type RunningServer,
} from '../../support/service/server.ts'
import { sharedServer } from '../../support/service/shared-services.ts'
import { WAIT } from '../../support/wait.ts'

const COMMAND = fileURLToPath(new URL('../../../scripts/admin.mjs', import.meta.url).href)

let server: RunningServer
let shop: CreatedRelyingParty
let receiver: Receiver
beforeAll(async () => {
  server = await sharedServer()
  shop = await createRelyingParty(server)
  receiver = await startReceiver()
})
afterAll(() => receiver?.close())

/** Starts `npm run admin -- …` with the key of the relying party. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = { API_KEY: shop.api_key }) {
  const given = { PATH: process.env.PATH, PORT: new URL(server.origin).port, ...env }
  const child = spawn(process.execPath, [COMMAND, ...args], { env: given })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, texts, closed }
}

/** Runs `npm run admin -- …` to its end. */
async function run(...command: Parameters<typeof start>) {
  const { texts, closed } = start(...command)
  return { code: await closed, ...texts }
}

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${shop.api_key}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await fetch(`${server.origin}${path}`, init)).json()
}

async function createOne(metadata: Readonly<Record<string, string>>): Promise<string> {
  const body = { credential_types: ['age_attestation'], scope: ['age_over_18'], metadata }
  const { verification_id } = (await call('POST', '/v1/verify', body)) as { verification_id: string }
  return verification_id
}

it('the command lists verifications by filters', async () => {
  const [kept, canceled] = [await createOne({ order: '1=2' }), await createOne({ order: '3' })]
  await call('POST', `/v1/verify/${canceled}/cancel`)
  await vi.waitFor(async () => {
    const { stdout } = await run(['verifications', 'list', '--status', 'canceled'])
    expect(stdout).toContain(canceled)
    expect(stdout).not.toContain(kept)
  }, WAIT)
  const found = await run(['verifications', 'list', '--metadata', 'order=1=2', '--json-output'])
  expect(JSON.parse(found.stdout).verifications).toMatchObject([{ verification_id: kept }])
  const refused = await run(['verifications', 'list', '--status', 'done'])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain('400 invalid_request')
})

it('the command forwards events with a signature under the given secret, and prints the responses', async () => {
  const id = await createOne({ order: '4\u009b31m\u202e' })
  await call('POST', `/v1/verify/${id}/cancel`)
  receiver.answer({ status: 500, body: 'not today\u001b[2J\nverification.verified v_1: HTTP 200' })
  const WEBHOOK_SECRET = shop.webhook_secret
  const env = { API_KEY: shop.api_key, WEBHOOK_SECRET }
  await vi.waitFor(async () => {
    const { code, stdout } = await run(['webhooks', 'forward', '--to', receiver.url, '--once'], env)
    expect(code).toBe(0)
    expect(stdout).toContain(
      `verification.canceled ${id}: HTTP 500 not today\\u{1b}[2J\\u{a}verification.verified`,
    )
  }, WAIT)
  const posted = receiver.requests.find(({ body }) => body.includes(id))
  if (posted === undefined) throw new Error('the event was not posted')
  expect(checkSignature(posted, WEBHOOK_SECRET)).toMatchObject({
    standardwebhooks: { accepted: { verification_id: id } },
    svix: { accepted: { verification_id: id } },
  })
  const otherSecret = `whsec_${Buffer.alloc(32).toString('base64')}`
  expect(checkSignature(posted, otherSecret)).toHaveProperty('svix.refused')
  const { stdout } = await run(['events', 'tail', '--once'])
  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).verification_id)).toContain(id)
  // Metadata often comes from a customer. A terminal must not obey it.
  const found = await run(['verifications', 'list', '--metadata', 'order=4\u009b31m\u202e', '--json-output'])
  for (const text of [stdout, found.stdout]) {
    expect(text).toContain('"4\\u009b31m\\u202e"')
    expect(text).not.toMatch(/[\u009b\u202e]/)
  }
})

it('the command prints new events, or all events with --all, until it is stopped', async () => {
  const cancelOne = async (order: string) => {
    const id = await createOne({ order })
    await call('POST', `/v1/verify/${id}/cancel`)
    return id
  }
  const before = await cancelOne('5')
  await vi.waitFor(async () => {
    expect((await run(['events', 'tail', '--once'])).stdout).toContain(before)
  }, WAIT)
  const [tail, all] = [start(['events', 'tail']), start(['events', 'tail', '--all'])]
  try {
    await vi.waitFor(() => expect(tail.texts.stderr).toContain('Waiting for new events.'), WAIT)
    const after = await cancelOne('6')
    await vi.waitFor(() => {
      for (const { texts } of [tail, all]) expect(texts.stdout).toContain(after)
    }, WAIT)
    expect(tail.texts.stdout).not.toContain(before)
    expect(all.texts.stdout).toContain(before)
    expect([tail.child.exitCode, all.child.exitCode]).toEqual([null, null])
  } finally {
    for (const { child } of [tail, all]) child.kill()
    await Promise.all([tail.closed, all.closed])
  }
})

it('the command prints an error that names a missing argument', async () => {
  expect(await run(['verifications', 'list'], {})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('API_KEY is required'),
  })
  expect((await run(['webhooks', 'forward'])).stderr).toContain('--to is required')
  expect((await run(['webhooks', 'forward', '--to', receiver.url])).stderr).toContain(
    'WEBHOOK_SECRET is required',
  )
})
