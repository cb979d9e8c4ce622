// api/evidence: sealed to the relying party, stored with the outcome, fetched by its own scope, erased. The
// container is opened with `jose`.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { openBrowser } from '../../support/browser/browser.ts'
import { AGE, ageOf, presentationOf, queryFor } from '../../support/people/person.ts'
import { encryptResponse, responseOf } from '../../support/people/wallet.ts'
import {
  callEvidence,
  type Envelope,
  fetchEvidence,
  fetchWithMaterials,
  jsonOf,
  type Keeper,
  newKeeper,
  newRecipient,
  openChecks,
  openSealed,
  textOf,
} from '../../support/service/evidence.ts'
import { ADULT, openLoginBrowser, registerClient } from '../../support/service/login.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, eventOf, finish, relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { confirming, hashOf, PAYMENT } from '../../support/service/transaction-data.ts'
import { redeem, request as requestLogin, respond } from '../oidc/openid-login.ts'

const stage = useStage()

const keeperOf = (evidence: object = {}, settings: object = {}) =>
  newKeeper(stage.service, (given) => relyingPartyOf(stage, { ...settings, ...given }), evidence)

const KEPT = { ...OVER_18, evidence: true }

const receiptOf = async ({ rp }: Keeper, id: string) =>
  decodeJwt(await (await rp.call('GET', `/v1/verify/${id}/receipt`)).text())

const codeOf = async (response: Response, status: number) =>
  ((await expectStatus(response, status)) as { readonly code: string }).code

describe('api/evidence: the evidence', () => {
  it('contains the request, the response and the decision of a verified session, sealed to the relying party', async () => {
    const keeper = await keeperOf()
    const { session, request } = await begin(stage, KEPT, { rp: keeper.rp })
    const presentation = await presentationOf(stage.person, AGE, request)
    const query = queryFor(request, AGE)
    await expectStatus(await stage.service.wallet.present(request, { [query]: [presentation] }), 200)
    const id = session.verification_id
    const { envelope, files } = await fetchEvidence(keeper, id)
    expect(envelope).toMatchObject({ object: 'evidence', version: 1, verification_id: id, time_stamps: [] })
    const manifest = Buffer.from(envelope.manifest, 'base64')
    expect(createHash('sha256').update(manifest).digest('hex')).toBe(envelope.manifest_sha256)
    expect(Buffer.from(files['META-INF/ASiCManifest.xml'] ?? [])).toEqual(manifest)
    expect(decodeJwt(textOf(files, 'request/request-object.jwt'))).toEqual(request.payload)
    expect(textOf(files, `response/${query}-1.sd-jwt`)).toBe(presentation)
    expect(jsonOf(files, 'decision.json')).toMatchObject({ decision: { status: 'verified' } })
    const bundle_sha256 = createHash('sha256').update(readFileSync('dist/worker.js')).digest('hex')
    expect(jsonOf(files, 'evidence.json')).toMatchObject({
      ...{ verification_id: id, livemode: false },
      software: { name: 'wallet-verifier', version: expect.any(String), bundle_sha256 },
    })
    expect(files['response/encrypted.bin']?.length).toBeGreaterThan(1_000)
    expect(jsonOf(files, 'response/response-key.jwk')).toHaveProperty('d')
    const { evidence_hash, session_binding, ...receipt } = await receiptOf(keeper, id)
    expect(decodeJwt(textOf(files, 'statement.jws'))).toMatchObject(receipt)
    expect(evidence_hash).toBe(Buffer.from(envelope.manifest_sha256, 'hex').toString('base64url'))
    expect(session_binding).toBe('none')
    const state = { manifest_sha256: envelope.manifest_sha256, time_stamp: 'none' }
    expect((await keeper.rp.poll(id)).evidence).toEqual({ ...state, erased_at: null })
    expect((await eventOf(stage, id)).event.evidence).toEqual(state)
  })

  it('each of three keys opens the evidence', async () => {
    const recipients = await Promise.all([
      newRecipient('p256'),
      newRecipient('p384', 'P-384'),
      newRecipient('rsa', 'RSA'),
    ])
    const keys = recipients.map(({ publicKey }) => publicKey)
    const keeper = await keeperOf({ jwks: { keys }, for: 'all' })
    const { session } = await finish(stage, {}, OVER_18, keeper.rp)
    const response = await callEvidence(keeper, session.verification_id)
    const envelope = (await expectStatus(response, 200)) as Envelope
    expect(envelope.sealed.recipients.map(({ header }) => header)).toEqual([
      { alg: 'ECDH-ES+A256KW', kid: 'p256', epk: expect.any(Object) },
      { alg: 'ECDH-ES+A256KW', kid: 'p384', epk: expect.any(Object) },
      { alg: 'RSA-OAEP-256', kid: 'rsa' },
    ])
    for (const { privateKey } of recipients)
      expect(await openSealed(envelope, privateKey)).toHaveProperty('mimetype')
  })

  it('a rejected session has evidence only if `outcomes` in the settings contains `rejected`', async () => {
    const rejected = { claims: { age_over_18: false } }
    const silent = await keeperOf({ for: 'all' })
    const without = await finish(stage, rejected, OVER_18, silent.rp)
    expect(await codeOf(await callEvidence(silent, without.session.verification_id), 404)).toBe('no_evidence')
    const keeper = await keeperOf({ for: 'all', outcomes: ['verified', 'rejected'] })
    const { session } = await finish(stage, rejected, OVER_18, keeper.rp)
    const { files } = await fetchEvidence(keeper, session.verification_id)
    expect(jsonOf(files, 'decision.json')).toMatchObject({ decision: { reason: 'predicate_false' } })
  })

  it('a declined session has no evidence', async () => {
    const keeper = await keeperOf({ for: 'all' })
    const { session, request } = await begin(stage, OVER_18, { rp: keeper.rp })
    await stage.service.wallet.decline(request, 'access_denied')
    expect(await codeOf(await callEvidence(keeper, session.verification_id), 404)).toBe('no_evidence')
    expect((await keeper.rp.poll(session.verification_id)).evidence).toBe(null)
    expect(await receiptOf(keeper, session.verification_id)).not.toHaveProperty('evidence_hash')
  })

  it('an identical retry of the response does not change the evidence', async () => {
    const keeper = await keeperOf()
    const { session, request } = await begin(stage, KEPT, { rp: keeper.rp })
    const vp_token = { [queryFor(request, AGE)]: [await presentationOf(stage.person, AGE, request)] }
    const parameters = { ...responseOf(request.payload, vp_token), state: request.payload.state }
    const key = request.payload.client_metadata.jwks?.keys[0] ?? {}
    const body = new URLSearchParams({ response: await encryptResponse(parameters, key) })
    const post = () => stage.service.fetch(request.payload.response_uri, { method: 'POST', body })
    const first = await expectStatus(await post(), 200)
    const { envelope } = await fetchEvidence(keeper, session.verification_id)
    expect(await expectStatus(await post(), 200)).toEqual(first)
    expect((await fetchEvidence(keeper, session.verification_id)).envelope).toEqual(envelope)
  })
})

describe('api/evidence: the offline verifier', () => {
  /** Verifies the evidence of a session with its receipt. Returns the checks that did not pass. */
  async function openChecksOf(keeper: Keeper, id: string): Promise<readonly string[]> {
    const { whole } = await fetchWithMaterials(keeper, id)
    const receipt = await (await keeper.rp.call('GET', `/v1/verify/${id}/receipt`)).text()
    return openChecks((await verifyContainer(whole, { receipt })).report)
  }

  it('accepts the evidence of a login by OpenID Connect, which is bound to its browser', async () => {
    const keeper = await keeperOf()
    const registered = await registerClient(keeper.rp, { policies: [{ ...ADULT, evidence: true }] })
    const made = await requestLogin(stage, registered)
    const browser = openLoginBrowser(stage.service)
    const begun = await browser.begin(made.url.href)
    const redirectUri = await respond(stage, await browser.link(begun))
    const response = await browser.finish(await browser.comeBack(redirectUri))
    expect((await redeem(made, response)).claims.age_over_18).toBe(true)
    const id = begun.verification_id
    expect((await receiptOf(keeper, id)).session_binding).not.toBe('none')
    expect(await openChecksOf(keeper, id)).toEqual([])
  })

  it('accepts the evidence of a payment, which has the text that the holder confirmed', async () => {
    const keeper = await keeperOf()
    const payment = { ...KEPT, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }
    const { session, request } = await begin(stage, payment, { rp: keeper.rp })
    const answer = await ageOf(stage.person, request, { keyBinding: confirming(request) })
    await expectStatus(await stage.service.wallet.present(request, answer), 200)
    const id = session.verification_id
    const { files } = await fetchEvidence(keeper, id)
    const [text = ''] = request.payload.transaction_data ?? []
    expect(jsonOf(files, 'request/session.json').transaction_data).toEqual([text])
    const { decision } = jsonOf(files, 'decision.json') as { decision: object }
    expect(decision).toMatchObject({ credentials: [{ transaction_data: [{ hash: hashOf(text) }] }] })
    expect(await openChecksOf(keeper, id)).toEqual([])
  })
})

describe('api/evidence: evidence is off by default', () => {
  it('a create request with evidence gets 422 if the settings have no keys', async () => {
    const response = await stage.rp.call('POST', '/v1/verify', { body: KEPT })
    expect(await expectStatus(response, 422)).toMatchObject({
      code: 'evidence_not_configured',
      errors: [{ pointer: '/evidence', code: 'evidence_not_configured' }],
    })
  })

  it('a session has no evidence if the create request omits `evidence`, or sets it to false against the setting `for: all`', async () => {
    const [keeper, all] = await Promise.all([keeperOf(), keeperOf({ for: 'all' })])
    for (const [{ rp }, body] of [
      [keeper, OVER_18] as const,
      [all, { ...OVER_18, evidence: false }] as const,
    ]) {
      const { session } = await finish(stage, {}, body, rp)
      expect((await rp.poll(session.verification_id)).evidence).toBe(null)
    }
  })
})

describe('api/evidence: the intent to retain', () => {
  it('with evidence, each element of an mdoc is requested with intent_to_retain, and the session shows intent_to_retain', async () => {
    const keeper = await keeperOf()
    const body = { ...KEPT, formats: ['mso_mdoc'] }
    const { request, session } = await begin(stage, body, { rp: keeper.rp })
    const asked = JSON.stringify(request.payload.dcql_query)
    expect(asked.match(/"intent_to_retain":true/g)?.length).toBe(asked.match(/"path":/g)?.length)
    expect((await keeper.rp.poll(session.verification_id)).intent_to_retain).toBe(true)
  })

  const QUERY = {
    credentials: [
      {
        id: 'pid',
        format: 'mso_mdoc',
        meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
        claims: [{ path: ['eu.europa.ec.eudi.pid.1', 'family_name'] }],
      },
    ],
  }
  const withIntent = (intent: boolean | undefined) => ({
    evidence: true,
    dcql_query: {
      credentials: QUERY.credentials.map((query) => ({
        ...query,
        claims: query.claims.map((claim) => ({
          ...claim,
          ...(intent !== undefined && { intent_to_retain: intent }),
        })),
      })),
    },
  })

  it('a dcql_query with `intent_to_retain: false` gets 422; if the member is absent, the service adds it with the value true', async () => {
    const keeper = await keeperOf()
    const denied = await keeper.rp.call('POST', '/v1/verify', { body: withIntent(false) })
    expect(await expectStatus(denied, 422)).toMatchObject({
      code: 'intent_to_retain_required',
      errors: [{ pointer: '/dcql_query/credentials/0/claims/0/intent_to_retain' }],
    })
    for (const intent of [undefined, true]) {
      const { request } = await begin(stage, withIntent(intent), { rp: keeper.rp })
      expect(JSON.stringify(request.payload.dcql_query)).toContain('"intent_to_retain":true')
    }
  })

  it('a create request with evidence and `intent_to_retain: false` gets 400, or 422 if the settings require evidence', async () => {
    const [keeper, all] = await Promise.all([keeperOf(), keeperOf({ for: 'all' })])
    const both = await keeper.rp.call('POST', '/v1/verify', { body: { ...KEPT, intent_to_retain: false } })
    expect(await codeOf(both, 400)).toBe('invalid_request')
    const denied = await all.rp.call('POST', '/v1/verify', { body: { ...OVER_18, intent_to_retain: false } })
    expect(await codeOf(denied, 422)).toBe('intent_to_retain_required')
  })
})

describe('api/evidence: access', () => {
  it('only a key with the scope evidence:read reads evidence, and no key has this scope by default', async () => {
    const keeper = await keeperOf({ for: 'all' })
    const { session } = await finish(stage, {}, OVER_18, keeper.rp)
    const path = `/v1/verify/${session.verification_id}/evidence`
    expect(await codeOf(await keeper.rp.call('GET', path), 403)).toBe('insufficient_scope')
    expect(await codeOf(await keeper.rp.call('DELETE', path), 403)).toBe('insufficient_scope')
    const { adminToken } = stage.service.server
    expect(await codeOf(await keeper.rp.call('GET', path, { token: adminToken }), 401)).toBe('invalid_token')
    const other = await keeperOf({ for: 'all' })
    expect(await codeOf(await other.rp.call('GET', path, { token: other.reader }), 404)).toBe(
      'verification_not_found',
    )
    const granted = await keeper.rp.call('POST', '/v1/api_keys', { body: {} })
    expect(((await expectStatus(granted, 201)) as { scopes: string[] }).scopes).not.toContain('evidence:read')
    const beyond = await keeper.rp.call('POST', '/v1/api_keys', { body: { scopes: ['evidence:read'] } })
    expect(await codeOf(beyond, 403)).toBe('insufficient_scope')
  })

  it('a request for the evidence of a pending session gets 409', async () => {
    const keeper = await keeperOf()
    const { verification_id } = await keeper.rp.create(KEPT)
    for (const method of ['GET', 'DELETE'])
      expect(await codeOf(await callEvidence(keeper, verification_id, method), 409)).toBe(
        'verification_pending',
      )
  })
})

describe('api/evidence: erasure', () => {
  it('DELETE erases the evidence for good, and its digest stays in the receipt', async () => {
    const keeper = await keeperOf({ for: 'all' })
    const { session } = await finish(stage, {}, OVER_18, keeper.rp)
    const id = session.verification_id
    const before = await receiptOf(keeper, id)
    for (const _ of [1, 2]) expect((await callEvidence(keeper, id, 'DELETE')).status).toBe(204)
    expect(await expectStatus(await callEvidence(keeper, id), 410)).toMatchObject({
      code: 'evidence_erased',
      erased_at: expect.stringMatching(/^20.*Z$/),
    })
    expect(await receiptOf(keeper, id)).toEqual(before)
    expect((await keeper.rp.poll(id)).evidence).toMatchObject({
      manifest_sha256: expect.any(String),
      erased_at: expect.any(String),
    })
  })

  it('DELETE of the verification erases the evidence, too', async () => {
    const keeper = await keeperOf({ for: 'all' })
    const { session } = await finish(stage, {}, OVER_18, keeper.rp)
    expect((await keeper.rp.call('DELETE', `/v1/verify/${session.verification_id}`)).status).toBe(204)
    expect(await codeOf(await callEvidence(keeper, session.verification_id), 404)).toBe(
      'verification_not_found',
    )
  })
})

describe('api/evidence: a success that waits for its browser', () => {
  async function respondByLink(keeper: Keeper) {
    const session = await keeper.rp.create(KEPT)
    const browser = openBrowser(stage.service)
    const request = await stage.service.wallet.receive(await browser.link(session))
    const presentation = await presentationOf(stage.person, AGE, request)
    const answer = await stage.service.wallet.present(request, { [queryFor(request, AGE)]: [presentation] })
    const { redirect_uri } = (await expectStatus(answer, 200)) as { redirect_uri: string }
    return { session, browser, redirect_uri, id: session.verification_id }
  }

  it('the success has evidence when the browser returns', async () => {
    const keeper = await keeperOf()
    const { browser, redirect_uri, id } = await respondByLink(keeper)
    expect(await codeOf(await callEvidence(keeper, id), 409)).toBe('verification_pending')
    await expectStatus(await browser.completeReturn(redirect_uri), 200)
    const { envelope, files } = await fetchEvidence(keeper, id)
    const { evidence_hash, session_binding } = await receiptOf(keeper, id)
    expect(evidence_hash).toBe(Buffer.from(envelope.manifest_sha256, 'hex').toString('base64url'))
    expect(session_binding).toBe('page')
    expect(jsonOf(files, 'evidence.json')).toMatchObject({ requests_fetched: 1 })
  })

  it('the success has no evidence if another browser brings the code', async () => {
    const keeper = await keeperOf()
    const { session, browser, redirect_uri, id } = await respondByLink(keeper)
    const second = openBrowser(stage.service)
    await second.link(session)
    expect((await second.completeReturn(redirect_uri)).status).toBe(409)
    expect((await browser.completeReturn(redirect_uri)).status).toBe(400)
    await expectStatus(await keeper.rp.call('POST', `/v1/verify/${id}/cancel`), 200)
    expect(await codeOf(await callEvidence(keeper, id), 404)).toBe('no_evidence')
  })
})
