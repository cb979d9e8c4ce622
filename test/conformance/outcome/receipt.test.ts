// api/receipt, the receipt: read and recomputed as an auditor would, with `jose`, the published keys and
// docs/receipt.md.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { ageOf } from '../../support/people/person.ts'
import { newKeeper } from '../../support/service/evidence.ts'
import { BASE_URL, expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, eventOf, finish, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'

const stage = useOwnStage()
const SHOP = 'https://shop.example'

const fetchReceipt = (rp: RelyingParty, id: string) => rp.call('GET', `/v1/verify/${id}/receipt`)

async function receiptOf(id: string, rp: RelyingParty = stage.rp): Promise<string> {
  const response = await fetchReceipt(rp, id)
  expect(response.headers.get('content-type')).toBe('application/verification-receipt+jwt')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.status).toBe(200)
  return response.text()
}

/** Reads a receipt as an auditor does: a foreign library checks signature, algorithm, type and issuer. */
async function audit(receipt: string) {
  const jwks = (await (await stage.service.fetch('/.well-known/jwks.json')).json()) as { keys: JWK[] }
  const options = { algorithms: ['ES256'], typ: 'verification-receipt+jwt', issuer: BASE_URL }
  const { payload, protectedHeader } = await jwtVerify(receipt, createLocalJWKSet(jwks), options)
  return { payload, kid: protectedHeader.kid }
}

/**
 * docs/receipt.md: SHA-256 of canonical JSON. Sufficient for the values of these tests: ASCII names, whole
 * numbers.
 */
function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (_, item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
  return createHash('sha256').update(text).digest('base64url')
}

/** docs/receipt.md: hashes the claims of a Request Object without those that change with each fetch. */
function requestHashOf(claims: object): string {
  const { iat, exp, wallet_nonce, ...asked } = claims as Record<string, unknown>
  return hashOf(asked)
}

/** docs/receipt.md: hashes ten members of the poll. */
function policyHashOf(poll: Readonly<Record<string, unknown>>): string {
  const members = [
    ...['credential_types', 'scope', 'dcql_query', 'required_assurance_level', 'credential_match'],
    ...['formats', 'allow_derived', 'protocol', 'request_options', 'required_session_binding'],
  ]
  const used = ['require_same_holder_key', 'intent_to_retain', 'evidence', 'wallet'].filter(
    (name) => poll[name],
  )
  return hashOf(Object.fromEntries([...members, ...used].map((name) => [name, poll[name]])))
}

describe('api/receipt: the receipt', () => {
  it('contains the request, the checks and the result, and nothing about the person or the metadata', async () => {
    const request = { ...OVER_18, metadata: { order: 'm-17' } }
    const { session, request: received } = await finish(stage, {}, request)
    const poll = await stage.rp.poll(session.verification_id)
    const { event } = await eventOf(stage, session.verification_id)
    const { payload } = await audit(await receiptOf(session.verification_id))
    expect(payload).toEqual({
      iss: BASE_URL,
      iat: Math.floor(Date.parse(event.created_at as string) / 1000),
      verification_id: session.verification_id,
      relying_party_id: stage.rp.relying_party_id,
      livemode: false,
      client_id: received.payload.client_id,
      protocol: 'openid4vp-1.0',
      created_at: poll.created_at,
      ended_at: event.created_at,
      status: 'verified',
      reason: null,
      policy_hash: policyHashOf(poll),
      request_hash: requestHashOf(received.payload),
      checks: { age_over_18: true },
      assurance_level: 'substantial',
      same_holder_key: true,
      assurance_derivation: poll.assurance_derivation,
      credentials: poll.credentials,
      trust_lists: [],
      channel: 'qr',
      session_binding: 'none',
      trace: poll.trace,
    })
  })

  it('has the same content each time it is fetched', async () => {
    const { session } = await finish(stage)
    const receipts = await Promise.all([1, 2].map(() => receiptOf(session.verification_id)))
    const [first, second] = receipts.map((receipt) => receipt.split('.'))
    expect(first?.slice(0, 2)).toEqual(second?.slice(0, 2))
  })

  it.each([
    ['rejected', { claims: { age_over_18: false } }, 'predicate_false', { age_over_18: false }],
    ['rejected', { claims: { exp: 1 } }, 'credential_expired', { age_over_18: false }],
  ])(
    'of a session that ended as %s after a response with %j contains the reason %s',
    async (status, telling, reason, checks) => {
      const { session } = await finish(stage, telling)
      const { payload } = await audit(await receiptOf(session.verification_id))
      expect(payload).toMatchObject({ status, reason, checks, request_hash: expect.any(String) })
    },
  )

  it('api/receipt: the receipt of a declined session names the request, and has no result', async () => {
    const { session, request } = await begin(stage)
    await stage.service.wallet.decline(request, 'access_denied')
    const { payload } = await audit(await receiptOf(session.verification_id))
    expect(payload).toMatchObject({ status: 'declined', reason: 'access_denied', checks: null })
    expect(payload).toMatchObject({ request_hash: requestHashOf(request.payload), credentials: [] })
  })

  it('api/receipt: the receipt of a canceled session names no request', async () => {
    const session = await stage.rp.create()
    await stage.rp.call('POST', `/v1/verify/${session.verification_id}/cancel`)
    const { payload } = await audit(await receiptOf(session.verification_id))
    expect(payload).toMatchObject({ status: 'canceled', request_hash: null, assurance_level: null })
    expect(payload.policy_hash).toBe(policyHashOf(await stage.rp.poll(session.verification_id)))
  })

  it('is refused with 409 while the session is pending, and with 404 for an erased session, an unknown session or a different relying party', async () => {
    const { session } = await begin(stage)
    const { verification_id: id } = session
    const pending = await expectStatus(await fetchReceipt(stage.rp, id), 409)
    expect(pending).toMatchObject({ code: 'verification_pending', retryable: true })
    await stage.rp.call('POST', `/v1/verify/${id}/cancel`)
    const stranger = await fetchReceipt(await relyingPartyOf(stage), id)
    const unknown = await fetchReceipt(stage.rp, 'v_AAAA')
    const code = async (response: Response) => ((await expectStatus(response, 404)) as { code: string }).code
    expect([await code(stranger), await code(unknown)]).toEqual(Array(2).fill('verification_not_found'))
    await stage.rp.call('DELETE', `/v1/verify/${id}`)
    expect(await code(await fetchReceipt(stage.rp, id))).toBe('verification_not_found')
  })
})

describe('api/receipt: request_hash', () => {
  it('is the hash of the answered request, even if it was fetched again with another wallet_nonce after a further QR code was drawn', async () => {
    const { session, request } = await begin(stage)
    await stage.rp.call('GET', `/v1/verify/${session.verification_id}/qr`)
    const again = await stage.service.wallet.receive(session.wallet_request.uri, { walletNonce: 'other' })
    expect(requestHashOf(again.payload)).toBe(requestHashOf(request.payload))
    await stage.service.wallet.present(request, await ageOf(stage.person, request))
    const { payload } = await audit(await receiptOf(session.verification_id))
    expect(payload.request_hash).toBe(requestHashOf(request.payload))
  })

  it('api/receipt: request_hash of a request by value is the hash of the parameters in its URI', async () => {
    const policy = { ...OVER_18, request_options: { client_id_prefix: 'redirect_uri' } }
    const { session, request } = await finish(stage, {}, policy)
    const json = ['dcql_query', 'client_metadata']
    const asked = [...new URL(request.uri).searchParams].map(([name, text]) => [
      name,
      json.includes(name) ? JSON.parse(text) : text,
    ])
    const { payload } = await audit(await receiptOf(session.verification_id))
    expect(payload.client_id).toBe(request.payload.client_id)
    expect(payload.request_hash).toBe(hashOf(Object.fromEntries(asked)))
  })

  it.each(['openid4vp-v1-signed', 'openid4vp-v1-unsigned'])(
    'is the hash of the signed request if the wallet answered under the protocol %s',
    async (protocol) => {
      const rp = await relyingPartyOf(stage, { origins: [SHOP] })
      const { verification_id: id } = await rp.create()
      const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
      const { digital } = (await asked.json()) as { digital: { requests: readonly DigitalRequest[] } }
      const [signed] = digital.requests
      const browser = { origin: SHOP, ...stage.service }
      const chosen = digital.requests.find((one) => one.protocol === protocol) as DigitalRequest
      const received = await receiveDigital(chosen, browser)
      const answer = await ageOf(stage.person, received, { audience: `origin:${SHOP}` })
      const body = await respondDigital(received, answer, browser)
      await expectStatus(await rp.call('POST', `/v1/verify/${id}/dc-api`, { body }), 200)
      const claims = (await receiveDigital(signed as DigitalRequest, browser)).payload
      const { payload } = await audit(await receiptOf(id, rp))
      expect(payload).toMatchObject({ channel: 'dc_api', request_hash: requestHashOf(claims) })
    },
  )
})

describe('api/receipt: policy_hash', () => {
  it('is equal for equal policies, and differs if one member differs', async () => {
    const dcql_query = {
      credentials: [
        { id: 'age', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eu.europa.ec.av:1'] }, claims: [] },
      ],
    }
    dcql_query.credentials[0]?.claims.push({ path: ['age_over_18'] } as never)
    const requests = [
      OVER_18,
      { ...OVER_18, metadata: { order: '1' } },
      { ...OVER_18, required_assurance_level: 'substantial' },
      { dcql_query },
      { ...OVER_18, wallet: 'eudi-ios' },
      { ...OVER_18, require_same_holder_key: true },
    ]
    const hashes = []
    for (const request of requests) {
      const { verification_id: id } = await stage.rp.create(request)
      await stage.rp.call('POST', `/v1/verify/${id}/cancel`)
      const { payload } = await audit(await receiptOf(id))
      expect(payload.policy_hash).toBe(policyHashOf(await stage.rp.poll(id)))
      hashes.push(payload.policy_hash)
    }
    expect(hashes[1]).toBe(hashes[0])
    expect(new Set(hashes).size).toBe(5)
  })

  it('covers the member `evidence` if the create request has `evidence: true`', async () => {
    const { rp } = await newKeeper(stage.service, (settings) => relyingPartyOf(stage, settings))
    const hashOfCanceled = async (request: object) => {
      const { verification_id: id } = await rp.create(request)
      await rp.call('POST', `/v1/verify/${id}/cancel`)
      const { payload } = await audit(await receiptOf(id, rp))
      return { hash: payload.policy_hash, poll: await rp.poll(id) }
    }
    const kept = await hashOfCanceled({ ...OVER_18, evidence: true })
    expect(kept.poll.evidence).toBe(null)
    expect(kept.hash).toBe(policyHashOf({ ...kept.poll, evidence: true }))
    const other = await hashOfCanceled(OVER_18)
    expect(other.hash).toBe(policyHashOf(other.poll))
    expect(other.hash).not.toBe(kept.hash)
  })
})

describe('api/receipt: the keys of receipts', () => {
  it('verify a receipt after two rotations, even though the private key that signed it no longer exists', async () => {
    const { session } = await finish(stage)
    const { verification_id: id } = session
    const before = await receiptOf(id)
    const file = join(stage.service.server.stateDir, 'keys', 'access-token-keys.json')
    let retired = (JSON.parse(readFileSync(file, 'utf8')) as { keys: JWK[] }).keys.map(publicHalf)
    for (const kid of ['second', 'third']) {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      const key = { ...(await exportJWK(privateKey)), kid }
      const keys = [key, ...retired]
      await stage.service.server.restart({ ACCESS_TOKEN_KEYS: JSON.stringify({ keys }) })
      retired = keys.map(publicHalf)
    }
    const original = await audit(before)
    const anew = await audit(await receiptOf(id))
    expect(original.kid).toBe(retired.at(-1)?.kid)
    expect(anew.kid).toBe('third')
    expect(anew.payload).toEqual(original.payload)
    const [header, , signature] = before.split('.')
    const forged = Buffer.from(JSON.stringify({ ...original.payload, status: 'rejected' })).toString(
      'base64url',
    )
    await expect(audit(`${header}.${forged}.${signature}`)).rejects.toThrow('signature verification failed')
  })
})

function publicHalf({ d, ...key }: JWK): JWK {
  return key
}
