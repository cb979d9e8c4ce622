// The samples of docs/client.md, compiled with the packed client, with the running service.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import { compile, openWorkshop, writeSamples } from '../../support/client-package.ts'
import { BASE_URL, expectStatus, OVER_18 } from '../../support/service/service.ts'
import { eventOf, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'

const RETURN_URL = 'https://shop.example/done'
const stage = useStage()
const workshop = openWorkshop()
let application = ''

/** Exports of the samples, by file. */
// biome-ignore lint/suspicious/noExplicitAny: the compiler has checked the samples
const sample = async (name: string): Promise<any> =>
  import(pathToFileURL(join(application, `${name}.js`)).href)

beforeAll(async () => {
  application = workshop.applicationWithClient('samples')
  writeSamples('docs/client.md', application)
  expect(compile(application, { module: 'nodenext' })).toBe('')
  const direct = fetch
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) =>
    String(input).startsWith(BASE_URL) ? stage.service.fetch(String(input), init) : direct(input, init),
  )
  stage.rp = await relyingPartyOf(stage, { return_urls: [RETURN_URL] })
  vi.stubEnv('VERIFIER_URL', BASE_URL)
  vi.stubEnv('VERIFIER_API_KEY', stage.rp.api_key)
})
afterAll(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  workshop.close()
})

const idIn = (address: string) => new URL(address).pathname.replace('/s/', '')
const jwks = async () => (await stage.service.fetch('/.well-known/jwks.json')).json()

it.each([
  ['verified', true],
  ['predicate_false', false],
])('verifier.ts: decides if a person is an adult, for the outcome %s', async (reason, expected) => {
  const { isAdult, verifier } = await sample('verifier')
  let producing: Promise<unknown> | undefined
  const asked = isAdult((address: string) => {
    producing = verifier.outcome(idIn(address), { reason })
  })
  expect(await asked).toBe(expected)
  expect(await producing).toMatchObject({ ok: true })
})

it('return.ts: chooses the next page by the status, and chooses the same page again after a reload', async () => {
  const { completeReturn } = await sample('return')
  const request = { ...OVER_18, required_session_binding: 'relying_party', return_url: RETURN_URL }
  const session = await stage.rp.create(request)
  const browser = openBrowser(stage.service)
  const received = await stage.service.wallet.receive(await browser.link(session))
  const { redirect_uri } = (await expectStatus(await respondWithAge(stage, received), 200)) as {
    redirect_uri: string
  }
  const id = session.verification_id
  expect(await completeReturn(id, new URL(RETURN_URL))).toBe('/age-check/try-again')
  const back = await expectStatus(await browser.completeReturn(redirect_uri), 200)
  const address = new URL((back as { return_url: string }).return_url)
  expect(await completeReturn(id, address)).toBe('/welcome')
  expect(await completeReturn(id, address)).toBe('/welcome')
  expect(await completeReturn(id, new URL(`${RETURN_URL}?return_code=wrong`))).toBe('/age-check/try-again')
})

it('return.ts: chooses a page for a declined session, and for a verified session without a return code', async () => {
  const { completeReturn } = await sample('return')
  const { verifier } = await sample('verifier')
  const declined = await stage.rp.create(OVER_18)
  await verifier.outcome(declined.verification_id, { reason: 'access_denied' })
  expect(await completeReturn(declined.verification_id, new URL(RETURN_URL))).toBe('/age-check/declined')
  const byQr = await stage.rp.create(OVER_18)
  await verifier.outcome(byQr.verification_id, { reason: 'verified' })
  expect(await completeReturn(byQr.verification_id, new URL(RETURN_URL))).toBe('/age-check/try-again')
})

it('webhook.ts and events.ts: process an event of the service, and reject a forged event', async () => {
  const { receiveWebhook } = await sample('webhook')
  const { readEvents } = await sample('events')
  const { verifier } = await sample('verifier')
  const { verification_id: id } = await stage.rp.create(OVER_18)
  await verifier.cancel(id)
  const { post } = await eventOf(stage, id)
  const headers = post.headers as Record<string, string>
  const processed: unknown[] = []
  const receive = async (body: string) => {
    const request = new Request(RETURN_URL, { method: 'POST', headers, body })
    const process = async (event: unknown) => void processed.push(event)
    return (await receiveWebhook(request, stage.rp.webhook_secret, process)).status
  }
  expect(await receive(`${post.body} `)).toBe(400)
  expect(processed).toEqual([])
  expect(await receive(post.body.toString())).toBe(204)
  expect(processed).toEqual([JSON.parse(post.body.toString())])

  // The log may get the event after the receiver.
  const { read, cursor } = await vi.waitFor(async () => {
    const read: string[] = []
    const keep = (event: { verification_id: string }) => void read.push(event.verification_id)
    const cursor = await readEvents(undefined, keep)
    expect(read).toContain(id)
    return { read, cursor }
  }, WAIT)
  const later: string[] = []
  await readEvents(cursor, (event: { verification_id: string }) => void later.push(event.verification_id))
  expect(later.filter((known) => read.includes(known))).toEqual([])
})

it('list.ts: finds only the verifications of one order', async () => {
  const { verificationsOf } = await sample('list')
  const order = crypto.randomUUID()
  const [first, second] = [
    await stage.rp.create({ ...OVER_18, metadata: { order } }),
    await stage.rp.create({ ...OVER_18, metadata: { order } }),
  ]
  await stage.rp.create({ ...OVER_18, metadata: { order: 'another' } })
  await vi.waitFor(async () => {
    const found: { verification_id: string }[] = await verificationsOf(order)
    expect(found.map(({ verification_id }) => verification_id).sort()).toEqual(
      [first.verification_id, second.verification_id].sort(),
    )
  }, WAIT)
})

it('course.ts: returns why a response was refused, and counts verifications by day', async () => {
  const { refusalsOf, verifiedByDay } = await sample('course')
  const { verifier } = await sample('verifier')
  const { verification_id: id } = await stage.rp.create(OVER_18)
  expect(await verifier.outcome(id, { reason: 'untrusted_issuer' })).toMatchObject({ ok: true })
  expect(await refusalsOf(id)).toEqual([expect.stringContaining('No trust anchor for this credential type')])
  const { verification_id: good } = await stage.rp.create(OVER_18)
  expect(await verifier.outcome(good, { reason: 'verified' })).toMatchObject({ ok: true })
  const count = async () => {
    const days: { verified: number }[] = await verifiedByDay()
    return days.reduce((sum, { verified }) => sum + verified, 0)
  }
  await vi.waitFor(async () => expect(await count()).toBeGreaterThan(0), WAIT)
})

it('claims.ts and receipt.ts: read the encrypted claims and the receipt, and reject the receipt if a different issuer is expected', async () => {
  const { claimsOf } = await sample('claims')
  const { receiptOf, readReceipt } = await sample('receipt')
  const { verifier } = await sample('verifier')
  const keys = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const { kty, crv, x, y } = await exportJWK(keys.publicKey)
  const { verification_id: id } = await stage.rp.create({
    ...OVER_18,
    claims_encryption_jwk: { kty, crv, x, y },
  })
  await verifier.outcome(id, { reason: 'verified' })
  const service = { jwks: await jwks(), issuer: BASE_URL }
  const privateJwk = await exportJWK(keys.privateKey)
  expect(await claimsOf(id, { ...service, privateJwk, audience: stage.rp.relying_party_id })).toMatchObject([
    { credential_type: 'age_attestation', claims: { age_over_18: true } },
  ])
  const receipt = await readReceipt(await receiptOf(id), { ...service, verificationId: id })
  expect(receipt).toMatchObject({ status: 'verified', checks: { age_over_18: true } })
  await expect(readReceipt(await receiptOf(id), { ...service, issuer: RETURN_URL })).rejects.toThrow(
    'wrong_verification',
  )
})

it('tokens.ts: reads a verification with a token that cannot create verifications', async () => {
  const { readingClient } = await sample('tokens')
  const client = readingClient(BASE_URL, stage.rp.relying_party_id, stage.rp.api_key)
  const { verification_id: id } = await stage.rp.create(OVER_18)
  expect(await client.get(id)).toMatchObject({ ok: true, value: { status: 'pending' } })
  expect(await client.create(OVER_18)).toMatchObject({
    ok: false,
    error: { code: 'insufficient_scope', status: 403 },
  })
})

it.each([
  ['verified', 'verified'],
  ['credential_revoked', 'rejected'],
  ['untrusted_issuer', 'pending'],
])('outcomes.ts: after the outcome %s, the status is %s', async (reason, status) => {
  const { statusAfter } = await sample('outcomes')
  expect(await statusAfter(reason)).toBe(status)
})
