// OpenID4VP 1.0 §5.1, §8.4, B.3.3.1: transaction data, from the relying party's objects to the hashes that
// wallets sign.

import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import type { SigningKey } from '../../support/people/issuer.ts'
import { AGE, ageOf, PID, presentationOf, queryFor } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, eventOf, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'
import {
  confirmedBy,
  confirming,
  hashOf,
  LOGIN,
  objectsIn,
  PAYMENT,
} from '../../support/service/transaction-data.ts'

const stage = useStage()

const PAY = { ...OVER_18, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }
const QUERIES = [
  { id: 'age', format: 'dc+sd-jwt', meta: { vct_values: [AGE] }, claims: [{ path: ['age_over_18'] }] },
  { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [PID] }, claims: [{ path: ['given_name'] }] },
]
const BOTH = {
  dcql_query: { credentials: QUERIES },
  transaction_data: [PAYMENT, { ...LOGIN, credential_ids: ['pid'] }],
}

/** Responds with these claims in the key binding. By default they confirm the requested objects. */
async function answer(request: ReceivedRequest, keyBinding: object = confirming(request)) {
  return stage.service.wallet.present(request, await ageOf(stage.person, request, { keyBinding }))
}

describe('transaction_data in the request', () => {
  it('B.3.3.1: contains the object unchanged, with the ids of the credentials that may confirm it', async () => {
    const { session, request } = await begin(stage, PAY)
    const expected = {
      ...PAYMENT,
      credential_ids: ['age_attestation'],
      transaction_data_hashes_alg: ['sha-256'],
    }
    expect(objectsIn(request)).toEqual([expected])
    expect(session.wallet_request).toMatchObject({ transaction_data: request.payload.transaction_data })
    expect(await stage.rp.poll(session.verification_id)).toMatchObject({ transaction_data: [expected] })
  })

  it('is identical in every fetch of the request', async () => {
    const { session, request } = await begin(stage, PAY)
    const again = await stage.service.wallet.receive(session.wallet_request.uri, {
      asksTransactionData: true,
    })
    expect(again.payload.transaction_data).toEqual(request.payload.transaction_data)
  })

  it('is absent if the relying party gave none', async () => {
    const { session, request } = await begin(stage)
    expect(request.payload).not.toHaveProperty('transaction_data')
    expect(await stage.rp.poll(session.verification_id)).toMatchObject({ transaction_data: null })
  })
})

describe('the session page', () => {
  it('shows what the person confirms, and escapes texts of the relying party', async () => {
    const order = {
      type: 'https://shop.example/order',
      title: 'Your <order>',
      members: [
        { path: ['payload', 'article'], label: 'Article' },
        { path: ['count'], label: 'Count', kind: 'number' },
      ],
    }
    const rp = await relyingPartyOf(stage, { transaction_data_types: [order] })
    const asked = { type: order.type, payload: { article: '<img src=x onerror=alert(1)>' }, count: 3 }
    const { session, request } = await begin(stage, { ...PAY, transaction_data: [PAYMENT, asked] }, { rp })
    const html = await (await stage.service.fetch(session.session_url)).text()
    for (const shown of ['Shöp &amp; Söhne', '12.5', 'Your &lt;order&gt;', '&lt;img src=x', 'Article']) {
      expect(html).toContain(shown)
    }
    expect(html).not.toContain('<img src=x')
    expect(objectsIn(request)).toMatchObject([PAYMENT, asked])
    await expectStatus(await answer(request), 200)
    expect((await rp.poll(session.verification_id)).status).toBe('verified')
    const wrong = { ...PAY, transaction_data: [{ ...asked, count: '3' }] }
    expect(await expectStatus(await rp.call('POST', '/v1/verify', { body: wrong }), 400)).toMatchObject({
      errors: [{ pointer: '/transaction_data/0/count', code: 'invalid_type' }],
    })
  })
})

describe('a response that confirms a transaction', () => {
  it('verifies, and the poll response and the event show which credential confirmed which object', async () => {
    const { session, request } = await begin(stage, PAY)
    await expectStatus(await answer(request), 200)
    const [text = ''] = request.payload.transaction_data ?? []
    const credential = {
      id: 'age_attestation',
      transaction_data: [{ index: 0, hash: hashOf(text), hash_alg: 'sha-256' }],
    }
    const { event } = await eventOf(stage, session.verification_id)
    for (const shown of [await stage.rp.poll(session.verification_id), event]) {
      expect(shown).toMatchObject({ status: 'verified', credentials: [credential] })
    }
    expect(JSON.stringify(event)).not.toContain('Söhne')
    const receipt = await (await stage.rp.call('GET', `/v1/verify/${session.verification_id}/receipt`)).text()
    expect(decodeJwt(receipt)).toMatchObject({ credentials: [credential] })
    expect(JSON.stringify(decodeJwt(receipt))).not.toContain('Söhne')
    expect(await confirmedBy(request, { age_attestation: confirming(request) })).toEqual(['age_attestation'])
  })

  it('verifies also with the protocol haip-1.0', async () => {
    const { root, leaf, intermediate } = await mintIssuerPki()
    const anchor = { name: 'Authority', credential_types: ['age_attestation'], assurance_level: 'high' }
    const rp = await relyingPartyOf(stage, { trust_anchors: [{ ...anchor, x509_ca_pem: root.pem }] })
    const { session, request } = await begin(stage, { ...PAY, protocol: 'haip-1.0' }, { rp })
    const certified = {
      issuer: { alg: 'ES256', privateJwk: leaf.privateJwk as SigningKey['privateJwk'] },
      x5c: [leaf.x5c, intermediate.x5c],
      claims: { iss: undefined },
    }
    expect((await respondWithAge(stage, request, certified)).status).toBe(400)
    const answered = await respondWithAge(stage, request, { ...certified, keyBinding: confirming(request) })
    await expectStatus(answered, 200)
    expect((await rp.poll(session.verification_id)).status).toBe('verified')
  })

  it.each(['sha-384', 'sha-512'])(
    'verifies with a hash in %s if the request offered this algorithm',
    async (algorithm) => {
      const offered = { ...PAYMENT, transaction_data_hashes_alg: ['sha-256', algorithm] }
      const { session, request } = await begin(stage, { ...PAY, transaction_data: [offered] })
      await expectStatus(await answer(request, confirming(request, undefined, algorithm)), 200)
      expect(await stage.rp.poll(session.verification_id)).toMatchObject({
        status: 'verified',
        credentials: [{ transaction_data: [{ hash_alg: algorithm }] }],
      })
    },
  )

  it('§5.1: verifies if each object is confirmed by one of the allowed credentials', async () => {
    const { session, request } = await begin(stage, BOTH)
    const keyBindings = { age: confirming(request, [0]), pid: confirming(request, [1]) }
    const vp = {
      [queryFor(request, AGE)]: [
        await presentationOf(stage.person, AGE, request, { keyBinding: keyBindings.age }),
      ],
      [queryFor(request, PID)]: [
        await presentationOf(stage.person, PID, request, { keyBinding: keyBindings.pid }),
      ],
    }
    await expectStatus(await stage.service.wallet.present(request, vp), 200)
    expect(await stage.rp.poll(session.verification_id)).toMatchObject({
      status: 'verified',
      credentials: [
        { id: 'age', transaction_data: [{ index: 0 }] },
        { id: 'pid', transaction_data: [{ index: 1 }] },
      ],
    })
    expect(await confirmedBy(request, keyBindings)).toEqual(['age', 'pid'])
  })
})

describe('a response without a valid confirmation of the transaction gets 400, and the session stays pending', () => {
  const other = hashOf(Buffer.from(JSON.stringify(PAYMENT)).toString('base64url'))

  it.each<[string, string, (request: ReceivedRequest) => object]>([
    ['signs no hash', 'transaction_data_missing', () => ({})],
    [
      'hashes the decoded text',
      'transaction_data_mismatch',
      (request) => ({
        ...confirming(request),
        transaction_data_hashes: (request.payload.transaction_data ?? []).map((text) =>
          hashOf(Buffer.from(text, 'base64url').toString()),
        ),
      }),
    ],
    [
      'hashes another encoding of the same object',
      'transaction_data_mismatch',
      (request) => ({ ...confirming(request), transaction_data_hashes: [other] }),
    ],
    [
      'uses a hash that was not offered',
      'transaction_data_mismatch',
      (request) => confirming(request, undefined, 'sha-512'),
    ],
    [
      'omits the hash algorithm, although the request offered some',
      'transaction_data_mismatch',
      (request) => ({ transaction_data_hashes: confirming(request).transaction_data_hashes }),
    ],
    [
      'adds a hash of something else',
      'transaction_data_mismatch',
      (request) => ({
        ...confirming(request),
        transaction_data_hashes: [...confirming(request).transaction_data_hashes, other],
      }),
    ],
    [
      'signs an empty list',
      'malformed_holder_binding',
      (request) => ({ ...confirming(request), transaction_data_hashes: [] }),
    ],
  ])('if it %s: %s', async (_, reason, keyBinding) => {
    const { session, request } = await begin(stage, PAY)
    const refused = (await expectStatus(await answer(request, keyBinding(request)), 400)) as object
    expect(refused).toMatchObject({ error: 'invalid_request', error_description: expect.any(String) })
    const poll = await stage.rp.poll(session.verification_id)
    expect([poll.status, poll.attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', [reason]])
    await expectStatus(await answer(request), 200)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })

  it.each<[string, string, number[], number[]]>([
    ['confirms with the wrong credential', 'transaction_data_mismatch', [0, 1], []],
    ['confirms one of two objects', 'transaction_data_missing', [], [1]],
    ['confirms one object with two credentials (§5.1)', 'transaction_data_mismatch', [0], [0, 1]],
  ])('if it %s: %s', async (_, reason, byAge, byPid) => {
    const { session, request } = await begin(stage, BOTH)
    const telling = (places: number[]) => ({
      keyBinding: places.length === 0 ? {} : confirming(request, places),
    })
    const vp = {
      [queryFor(request, AGE)]: [await presentationOf(stage.person, AGE, request, telling(byAge))],
      [queryFor(request, PID)]: [await presentationOf(stage.person, PID, request, telling(byPid))],
    }
    expect((await stage.service.wallet.present(request, vp)).status).toBe(400)
    const poll = await stage.rp.poll(session.verification_id)
    expect([poll.status, poll.attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', [reason]])
  })

  it('even if a second credential, which the outcome does not use, confirms the transaction', async () => {
    const credential_sets = [{ options: [['age'], ['pid']] }]
    const policy = { dcql_query: { credentials: QUERIES, credential_sets }, transaction_data: [PAYMENT] }
    const { session, request } = await begin(stage, policy)
    const keyBinding = confirming(request)
    const age = [await presentationOf(stage.person, AGE, request)]
    const pid = [await presentationOf(stage.person, PID, request, { keyBinding })]
    expect((await stage.service.wallet.present(request, { age, pid })).status).toBe(400)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts[0]?.reason.code]).toEqual(['pending', 'transaction_data_missing'])
    await expectStatus(await stage.service.wallet.present(request, { pid }), 200)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })

  it('if it confirms a transaction that was not requested', async () => {
    const { session, request } = await begin(stage)
    const keyBinding = { transaction_data_hashes: [other], transaction_data_hashes_alg: 'sha-256' }
    expect((await respondWithAge(stage, request, { keyBinding })).status).toBe(400)
    const { status, attempts } = await stage.rp.poll(session.verification_id)
    expect([status, attempts[0]?.reason.code]).toEqual(['pending', 'transaction_data_mismatch'])
  })

  it('even if the person is under 18', async () => {
    const { session, request } = await begin(stage, PAY)
    const minor = await ageOf(stage.person, request, { claims: { age_over_18: false } })
    expect((await stage.service.wallet.present(request, minor)).status).toBe(400)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('pending')
  })
})

describe('the Digital Credentials API', () => {
  const SHOP = 'https://shop.example'

  it.each(['openid4vp-v1-signed', 'openid4vp-v1-unsigned'])(
    'requests transaction data in %s, and accepts only a response that confirms the transaction',
    async (protocol) => {
      const rp = await relyingPartyOf(stage, { origins: [SHOP] })
      const { verification_id } = await rp.create(PAY)
      const path = `/v1/verify/${verification_id}/dc-api`
      const asked = (await expectStatus(await rp.call('POST', `${path}/request`, { body: {} }), 200)) as {
        digital: { requests: DigitalRequest[] }
      }
      const offered = asked.digital.requests.find((one) => one.protocol === protocol) as DigitalRequest
      const browser = { origin: SHOP, ...stage.service }
      const request = await receiveDigital(offered, browser)
      expect(objectsIn(request)).toMatchObject([PAYMENT])
      const telling = { audience: `origin:${SHOP}` }
      const bare = await respondDigital(request, await ageOf(stage.person, request, telling), browser)
      expect(await expectStatus(await rp.call('POST', path, { body: bare }), 400)).toMatchObject({
        code: 'presentation_refused',
        errors: [{ code: 'transaction_data_missing' }],
      })
      const signed = await ageOf(stage.person, request, { ...telling, keyBinding: confirming(request) })
      const body = await respondDigital(request, signed, browser)
      expect(await expectStatus(await rp.call('POST', path, { body }), 200)).toMatchObject({
        status: 'verified',
        credentials: [{ transaction_data: [{ index: 0 }] }],
      })
    },
  )
})
