// api/wallets: the wallet of a creation, of one QR code, of one link and of one request of the browser's
// API. Each has a request of its own, and its response is verified by exactly that request.

import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { PID, presentationOf, queryFor } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import {
  BASE_URL,
  type CreatedSession,
  expectStatus,
  OVER_18,
  readQr,
} from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'
import { confirming, PAYMENT } from '../../support/service/transaction-data.ts'

const stage = useStage()

/** A choice of formats, which the NL Wallet cannot answer. */
const NAMES = { credential_types: ['pid'], scope: ['given_name', 'family_name'] }
const NL = 'nl-wallet'
const EU_AGE = 'eu-age-android'
const PLAIN = { request_options: { response_mode: 'direct_post' } }

type Sent = ReceivedRequest['payload'] & { readonly dcql_query: { readonly credential_sets?: unknown } }

/** Draws the QR code for a wallet, and receives its request. */
async function scan({ verification_id }: CreatedSession, wallet: string): Promise<ReceivedRequest> {
  return stage.service.wallet.receive(await drawn({ verification_id }, wallet))
}

async function drawn({ verification_id }: Pick<CreatedSession, 'verification_id'>, wallet: string) {
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/qr?size=1024&wallet=${wallet}`)
  if (response.status !== 200) throw new Error(`HTTP ${response.status} ${await response.text()}`)
  return readQr(new Uint8Array(await response.arrayBuffer()))
}

async function namesOf(request: ReceivedRequest, telling: object = {}) {
  return { [queryFor(request, PID)]: [await presentationOf(stage.person, PID, request, telling)] }
}

function queriesOf({ payload }: ReceivedRequest) {
  const { credentials, credential_sets } = (payload as Sent).dcql_query
  return { ids: credentials.map(({ id }) => id), credential_sets }
}

async function lastReason({ verification_id }: CreatedSession) {
  const { status, attempts } = await stage.rp.poll(verification_id)
  return [status, attempts.at(-1)?.reason.code]
}

it('api/wallets: the service makes the request for the wallet that the create request names, and verifies the response', async () => {
  const session = await stage.rp.create({ ...NAMES, wallet: NL })
  const { wallet_request } = session
  expect(wallet_request).toMatchObject({ wallet: NL })
  expect(wallet_request.dcql_query).not.toHaveProperty('credential_sets')
  expect(wallet_request.dcql_query.credentials).toHaveLength(1)
  expect(readQr(session.qr_code)).toBe(wallet_request.uri)
  const request = await stage.service.wallet.receive(wallet_request.uri)
  expect((await stage.service.wallet.present(request, await namesOf(request))).status).toBe(200)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({
    status: 'verified',
    wallet: NL,
    checks: { given_name: true, family_name: true },
  })
})

it('api/wallets: if the create request lists several wallets, the service chooses the first wallet that can respond', async () => {
  const { wallet_request } = await stage.rp.create({ ...NAMES, wallet: [EU_AGE, NL, 'eudi-ios'] })
  expect(wallet_request).toMatchObject({ wallet: NL })
})

it('api/wallets: the response to a create request names no wallet if the create request names none', async () => {
  const session = await stage.rp.create(NAMES)
  expect(session.wallet_request).toMatchObject({ wallet: null })
  expect(queriesOf(await stage.service.wallet.receive(session.wallet_request.uri)).ids).toHaveLength(2)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({ wallet: null })
})

it('api/wallets: the service refuses an unsuitable wallet with 422, and the errors name what the wallet does not support', async () => {
  const body = { ...NAMES, wallet: [EU_AGE] }
  const response = await stage.rp.call('POST', '/v1/verify', { body })
  const { code, errors } = (await expectStatus(response, 422)) as { code: string; errors: object[] }
  expect(code).toBe('policy_unsatisfiable')
  expect(errors.length).toBeGreaterThan(0)
  for (const error of errors)
    expect(error).toMatchObject({ pointer: '/wallet/0', message: expect.stringContaining('`/dcql_query') })
})

it.each([
  ['as a single name', 'no-such-wallet', '/wallet'],
  ['in a list of wallets', [NL, 'no-such-wallet'], '/wallet/1'],
])('api/wallets: the service refuses an unknown wallet with 400: %s', async (_, wallet, pointer) => {
  const response = await stage.rp.call('POST', '/v1/verify', { body: { ...OVER_18, wallet } })
  expect(await expectStatus(response, 400)).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer, code: 'unknown_wallet' }],
  })
})

it('api/wallets: the service draws a QR code for a chosen wallet, for any wallet, and for the wallet of the create request', async () => {
  const session = await stage.rp.create({ ...NAMES, wallet: NL })
  const queries = []
  for (const wallet of ['any', 'eudi-ios', NL]) queries.push(queriesOf(await scan(session, wallet)))
  expect(queries.map(({ ids }) => ids.length)).toEqual([2, expect.any(Number), 1])
  const { verification_id: id } = session
  const view = await expectStatus(await stage.rp.call('GET', `/v1/verify/${id}/openid4vp`), 200)
  expect(view).toMatchObject({ wallet_request: { wallet: NL } })
  const plain = await stage.rp.call('GET', `/v1/verify/${id}/qr`)
  const request = await stage.service.wallet.receive(readQr(new Uint8Array(await plain.arrayBuffer())))
  expect(queriesOf(request).ids).toHaveLength(1)
})

it.each([
  ['no-such-wallet', 400, 'invalid_request', 'wallet_unknown'],
  [EU_AGE, 422, 'policy_unsatisfiable', 'wallet_cannot'],
])(
  'api/wallets: the service draws no QR code for the wallet %s, but returns %i',
  async (wallet, status, code, error) => {
    const { verification_id: id } = await stage.rp.create(NAMES)
    const response = await stage.rp.call('GET', `/v1/verify/${id}/qr?wallet=${wallet}`)
    expect(await expectStatus(response, status)).toMatchObject({
      code,
      errors: [{ pointer: '/wallet', code: error }],
    })
  },
)

it('api/wallets: the newest QR code and the eight before it stay valid, whichever wallets they are for', async () => {
  const session = await stage.rp.create(NAMES)
  const uris = [session.wallet_request.uri]
  for (let i = 0; i < 10; i++) uris.push(await drawn(session, i % 2 === 0 ? NL : 'any'))
  const statuses = await Promise.all(
    uris.map(async (uri) => {
      const address = new URL(uri).searchParams.get('request_uri') ?? ''
      return (await stage.service.fetch(address)).status
    }),
  )
  expect(statuses).toEqual([410, 410, ...Array(9).fill(200)])
})

it('api/wallets: the service makes a link for a chosen wallet, with the scheme or address of this wallet', async () => {
  const session = await stage.rp.create(OVER_18)
  const { fetch } = stage.service
  const link = async (body: object) => {
    const response = await fetch(`/v1/verify/${session.verification_id}/link`, {
      method: 'POST',
      headers: {
        Origin: BASE_URL,
        Authorization: `Bearer ${session.client_token}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    return (await expectStatus(response, 200)) as { uri: string; wallet_links: object }
  }
  expect((await link({})).uri).toMatch(/^openid4vp:\/\/\?client_id=x509_hash/)
  const chosen = await link({ wallet: EU_AGE })
  expect(chosen.uri).toMatch(/^av:\/\/\?response_type=vp_token/)
  expect(Object.keys(chosen.wallet_links)).toEqual(['av'])
})

it('api/wallets, api/protocols: a wallet that needs an unsigned request by value gets it, and its response verifies', async () => {
  const { wallet } = stage.service
  const mdoc = await makeMdocPerson()
  const rp = await relyingPartyOf(stage, { trust_anchors: [mdoc.anchor()] })
  const session = await rp.create(OVER_18)
  const path = `/v1/verify/${session.verification_id}`
  const qr = await rp.call('GET', `${path}/qr?size=1024&wallet=${EU_AGE}`)
  const request = await wallet.receive(readQr(new Uint8Array(await qr.arrayBuffer())))
  const clientId = `redirect_uri:${BASE_URL}${path}/callback`
  expect(request.payload).toMatchObject({ client_id: clientId, response_mode: 'direct_post' })
  // The other requests of the session stay signed and encrypted.
  const usual = await wallet.receive(session.wallet_request.uri)
  expect(usual.payload.client_id).toMatch(/^x509_hash:/)
  expect((await wallet.present(request, await mdocAgeOf(mdoc, request))).status).toBe(200)
  expect(await rp.poll(session.verification_id)).toMatchObject({ status: 'verified', channel: 'by_value' })
  const receipt = await rp.call('GET', `${path}/receipt`)
  expect(decodeJwt(await receipt.text())).toMatchObject({ client_id: clientId })
})

it('api/protocols: if by_value is off, a create request for a wallet that needs an unsigned request returns no QR code and no wallet_request', async () => {
  const rp = await relyingPartyOf(stage, { by_value: false })
  const body = { ...OVER_18, wallet: EU_AGE }
  const response = await rp.call('POST', '/v1/verify', { body })
  // `org-iso-mdoc` reaches this wallet, so the session has no QR code.
  expect(await expectStatus(response, 201)).toMatchObject({ qr_code: null, wallet_request: null })
})

it('api/wallets: a request for the Digital Credentials API has only the protocols of the chosen wallet', async () => {
  const rp = await relyingPartyOf(stage, { origins: ['https://shop.example'] })
  const { verification_id: id } = await rp.create(OVER_18)
  const protocolsFor = async (wallet: string) => {
    const response = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: { wallet } })
    const { digital } = (await expectStatus(response, 200)) as {
      digital: { requests: { protocol: string }[] }
    }
    return digital.requests.map(({ protocol }) => protocol)
  }
  expect(await protocolsFor('any')).toEqual(['openid4vp-v1-signed', 'openid4vp-v1-unsigned', 'org-iso-mdoc'])
  expect(await protocolsFor(EU_AGE)).toEqual(['org-iso-mdoc'])
  const none = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: { wallet: NL } })
  expect(await expectStatus(none, 409)).toMatchObject({ code: 'dc_api_not_offered' })
})

it('api/wallets: the service refuses a presentation that was made for the request of another wallet', async () => {
  const session = await stage.rp.create(NAMES)
  const lowered = await scan(session, NL)
  const usual = await stage.service.wallet.receive(session.wallet_request.uri)
  const elsewhere = await namesOf(lowered)
  expect((await stage.service.wallet.present(usual, elsewhere)).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'nonce_mismatch'])
  const back = { [queryFor(lowered, PID)]: Object.values(await namesOf(usual)).flat() }
  expect((await stage.service.wallet.present(lowered, back)).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'nonce_mismatch'])
})

it('api/wallets: the service refuses a response to a credential query that is not in the request for its wallet', async () => {
  const session = await stage.rp.create(NAMES)
  const usual = await stage.service.wallet.receive(session.wallet_request.uri)
  const lowered = await scan(session, NL)
  const [asked] = queriesOf(lowered).ids
  const other = queriesOf(usual).ids.find((id) => id !== asked) ?? ''
  const answer = { [other]: Object.values(await namesOf(lowered)).flat() }
  expect((await stage.service.wallet.present(lowered, answer)).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'unknown_credential_query'])
})

it('api/wallets: the service refuses a response that discloses less than the query for its wallet requests', async () => {
  const session = await stage.rp.create({ ...NAMES, wallet: NL })
  const request = await stage.service.wallet.receive(session.wallet_request.uri)
  const less = await namesOf(request, { disclose: { given_name: true } })
  expect((await stage.service.wallet.present(request, less)).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'query_not_satisfied'])
})

it('api/wallets: the service refuses an unencrypted response to a request that requires encryption, even if another request of the session does not require it', async () => {
  const session = await stage.rp.create({ ...NAMES, ...PLAIN })
  const [encrypted, plain] = [await scan(session, NL), await scan(session, 'any')]
  expect([encrypted.payload.response_mode, plain.payload.response_mode]).toEqual([
    'direct_post.jwt',
    'direct_post',
  ])
  const payload = { ...encrypted.payload, response_mode: 'direct_post' as const }
  const answer = await namesOf(encrypted)
  expect((await stage.service.wallet.present({ ...encrypted, payload }, answer)).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'encryption_required'])
  expect((await stage.service.wallet.present(encrypted, answer)).status).toBe(200)
})

it('api/wallets: the service refuses a response that is encrypted to the key of another wallet’s request', async () => {
  const session = await stage.rp.create({ ...NAMES, ...PLAIN })
  const [encrypted, plain] = [await scan(session, NL), await scan(session, 'any')]
  const { response_mode, client_metadata } = encrypted.payload
  const payload = { ...plain.payload, response_mode, client_metadata }
  const answer = await namesOf(plain)
  expect((await stage.service.wallet.present({ ...plain, payload }, answer)).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'state_mismatch'])
  expect((await stage.service.wallet.present(plain, answer)).status).toBe(200)
})

it("api/protocols: a response must be bound to the client_id of the request that it answers, not of another wallet's request", async () => {
  const request_options = { client_id_prefix: 'decentralized_identifier' }
  const session = await stage.rp.create({ ...OVER_18, formats: ['dc+sd-jwt'], request_options })
  const { client_id: audience } = session.wallet_request
  expect(audience).toMatch(/^decentralized_identifier:/)
  const request = await scan(session, NL)
  expect(request.payload.client_id).toMatch(/^x509_hash:/)
  expect((await respondWithAge(stage, request, { audience })).status).toBe(400)
  expect(await lastReason(session)).toEqual(['pending', 'audience_mismatch'])
  expect((await respondWithAge(stage, request)).status).toBe(200)
  const path = `/v1/verify/${session.verification_id}/receipt`
  const receipt = decodeJwt(await (await stage.rp.call('GET', path)).text())
  expect(receipt).toMatchObject({ client_id: request.payload.client_id })
})

it('api/binding: a successful response to a link for a chosen wallet waits until the browser of the link returns', async () => {
  const session = await stage.rp.create({ ...OVER_18, required_session_binding: 'page', wallet: 'credo' })
  const browser = openBrowser(stage.service)
  const request = await stage.service.wallet.receive(await browser.link(session))
  const answer = (await expectStatus(await respondWithAge(stage, request), 200)) as { redirect_uri: string }
  expect((await stage.rp.poll(session.verification_id)).stage).toBe('awaiting_return')
  expect((await browser.completeReturn(answer.redirect_uri)).status).toBe(200)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({
    status: 'verified',
    session_binding: 'page',
  })
})

it('api/wallets: the service asks a chosen wallet to confirm the same texts that the session shows', async () => {
  const payment = { ...NAMES, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }
  const session = await stage.rp.create({ ...payment, wallet: 'valera' })
  const { uri } = session.wallet_request
  const request = await stage.service.wallet.receive(uri, { asksTransactionData: true })
  expect(request.payload.transaction_data).toHaveLength(1)
  const { transaction_data } = request.payload
  expect(session.wallet_request).toMatchObject({ transaction_data })
  const token = await namesOf(request, { keyBinding: confirming(request) })
  expect((await stage.service.wallet.present(request, token)).status).toBe(200)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({ status: 'verified', wallet: 'valera' })
})

it('api/transactions: if the request for a wallet would lack the credential for a transaction, the service refuses this wallet with 422', async () => {
  const types = { credential_types: ['pid', 'age_attestation'], scope: ['age_over_18'] }
  const body = { ...types, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }
  const response = await stage.rp.call('POST', '/v1/verify', { body: { ...body, wallet: 'wwwallet' } })
  expect(await expectStatus(response, 422)).toMatchObject({
    errors: [{ pointer: '/wallet', code: 'credential_not_asked' }],
  })
  const { wallet_request } = await stage.rp.create({ ...body, wallet: ['wwwallet', 'credo'] })
  expect(wallet_request).toMatchObject({ wallet: 'credo' })
})
