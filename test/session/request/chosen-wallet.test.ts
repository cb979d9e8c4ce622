// api/wallets, api/outcome: the terms of a chosen wallet in the stored session. They stay as they were when
// the wallet was chosen, and the policy of the session decides, whatever they are.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import type { StoredWallet } from '../../../src/session/document/stored-verifier.ts'
import { valueBytes } from '../../../src/session/request/lowered-wallet.ts'
import { call } from '../../routes/edge/edge-app.ts'
import { ask, createSession, fetchRequest, goodResponse, poll, post, setUp, stubOf } from '../driver.ts'

const app = createApp()
const WALLET = 'eudi-ios'
/** A wallet that takes unsigned requests by value alone. */
const BY_VALUE = 'inji'
const AGE = { id: 'age_attestation', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eu.europa.ec.av:1'] } }

function documentOf(id: string): Promise<SessionDocument> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.kv.get('session') as SessionDocument)
}

/** Changes the stored terms, as if another release had lowered the request. */
async function changeTerms(id: string, change: Partial<StoredWallet>): Promise<void> {
  await runInDurableObject(stubOf(id), (_, state) => {
    const document = state.storage.kv.get('session') as SessionDocument
    const wallets = document.wallets?.map((wallet) => ({ ...wallet, ...change }))
    state.storage.kv.put('session', { ...document, wallets })
  })
  await evictDurableObject(stubOf(id))
}

it('a session stores the content of the request to each chosen wallet once, and removes this content when the session ends', async () => {
  const setting = await setUp()
  const session = await createSession(setting)
  const { verification_id: id } = session
  expect(await documentOf(id)).not.toHaveProperty('wallets')
  for (const wallet of [WALLET, WALLET, 'credo']) await ask(setting, 'GET', id, `/qr?wallet=${wallet}`)
  const { wallets, generations } = await documentOf(id)
  expect(wallets?.map((wallet) => wallet.id)).toEqual([WALLET, 'credo'])
  expect(generations.map(({ wallet }) => wallet)).toEqual([undefined, WALLET, WALLET, 'credo'])
  const request = await fetchRequest(session.wallet_request.request_uri)
  expect((await post(id, await goodResponse(setting, request))).status).toBe(200)
  expect(await documentOf(id)).not.toHaveProperty('wallets')
})

it('every request for a wallet uses the content that was stored when the wallet was first chosen', async () => {
  const setting = await setUp()
  const { verification_id: id } = await createSession(setting, { wallet: WALLET })
  await changeTerms(id, { link: 'earlier-release' })
  expect((await stubOf(id).render({ relyingPartyId: setting.relyingPartyId }, WALLET)).ok).toBe(true)
  const render = await stubOf(id).render({ relyingPartyId: setting.relyingPartyId }, null)
  expect(render.ok && render.value.uri).toMatch(/^earlier-release:/)
})

it('a session page that can create no new requests shows the named wallet only if this wallet was chosen before', async () => {
  const setting = await setUp()
  const { verification_id: id } = await createSession(setting, { wallet: WALLET })
  const by = { relyingPartyId: setting.relyingPartyId }
  expect((await stubOf(id).render(by, 'credo')).ok).toBe(true)
  const walletOf = async (named: string | null) => {
    const page = await stubOf(id).readPage(by, { named, mayLower: false })
    return page.ok ? page.value.wallet : page.error
  }
  const named = [null, WALLET, 'credo', BY_VALUE, 'any']
  expect(await Promise.all(named.map(walletOf))).toEqual([WALLET, WALLET, 'credo', null, null])
})

it.each([
  ['without claims', { credentials: [AGE] }],
  ['for another claim', { credentials: [{ ...AGE, claims: [{ path: ['age_over_16'] }] }] }],
])('a response is refused if it satisfies a wallet’s query %s, but not the policy', async (_, query) => {
  const setting = await setUp()
  const session = await createSession(setting, { wallet: WALLET })
  const { verification_id: id } = session
  await changeTerms(id, { query })
  const request = await fetchRequest(session.wallet_request.request_uri)
  expect(request).toMatchObject({ dcql_query: query })
  expect((await post(id, await goodResponse(setting, request, { age_over_16: true }))).status).toBe(400)
  const { status, attempts } = await poll(setting, id)
  expect([status, attempts.at(-1).reason.code]).toEqual(['pending', 'query_not_satisfied'])
})

describe('a wallet that gets its request by value', () => {
  /** A query of the age attestation that asks for this many more claims. */
  const queryOf = (claims: number) => ({
    credentials: [
      {
        ...AGE,
        claims: Array.from({ length: claims }, (_, i) => ({ path: [`a_claim_with_a_long_name_${i}`] })),
      },
    ],
  })
  const own = (claims: number) => {
    const members = { credential_types: undefined, scope: undefined, formats: undefined }
    return { ...members, dcql_query: queryOf(claims), request_options: {} }
  }
  const refuse = async (setting: Awaited<ReturnType<typeof setUp>>, body: object) => {
    const answer = await call(app, 'POST', '/v1/verify', { headers: setting.headers, body })
    const { errors } = (await answer.json()) as { errors: { pointer: string; code: string }[] }
    return [answer.status, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)]
  }
  const LONG = 50

  it('gets a request of exactly the length that `valueBytes` computes', async () => {
    const { policy, livemode, request, wallets } = await documentOf(
      (await createSession(await setUp(), { ...own(3), wallet: BY_VALUE })).verification_id,
    )
    for (const wallet of [BY_VALUE, 'credo', 'walt-id']) {
      const body = { ...own(3), wallet, request_options: { client_id_prefix: 'redirect_uri' } }
      const { wallet_request } = await createSession(await setUp(), body)
      const [scheme, query] = wallet_request.uri.split('?')
      const response_mode = new URLSearchParams(query).get('response_mode') as 'direct_post'
      const link = wallet === BY_VALUE ? 'openid4vp://authorize' : scheme.replace('://', '')
      const measure = valueBytes({ policy, livemode, request }, 'https://verifier.example')
      expect(measure({ query: queryOf(3), link, response_mode })).toBe(wallet_request.uri.length)
    }
    expect(wallets?.[0]?.link).toBe('openid4vp://authorize')
  })

  it('is not used if its request would be too long: the next wallet in the create request is used', async () => {
    const setting = await setUp()
    const session = await createSession(setting, { ...own(LONG), wallet: [BY_VALUE, WALLET] })
    expect(session.wallet_request.wallet).toBe(WALLET)
    expect(session.wallets.find(({ id }: { id: string }) => id === BY_VALUE)).toEqual({
      id: BY_VALUE,
      result: 'cannot',
      reasons: [{ member: '/uri', why: 'too_long' }],
    })
    const answer = await ask(setting, 'GET', session.verification_id, `/qr?wallet=${BY_VALUE}`)
    expect(answer.status).toBe(422)
    expect(await refuse(setting, { ...own(LONG), wallet: BY_VALUE })).toEqual([422, '/wallet too_long'])
  })

  it('gets no QR code if the request is too long, and the session does not change', async () => {
    const setting = await setUp()
    const { verification_id: id } = await createSession(setting, { wallet: BY_VALUE })
    await changeTerms(id, { query: queryOf(LONG) })
    const before = await documentOf(id)
    expect((await ask(setting, 'GET', id, '/qr')).status).toBe(422)
    expect(await documentOf(id)).toEqual(before)
  })

  it('is neither offered nor accepted if the session requires a level above low and has a QR code', async () => {
    const setting = await setUp()
    const above = { required_assurance_level: 'substantial' }
    const question = { credential_types: ['age_attestation'], scope: ['age_over_18'], ...above }
    expect(await refuse(setting, { ...question, wallet: BY_VALUE })).toEqual([422, '/wallet low_level_only'])
    const session = await createSession(setting, { ...above, wallet: [BY_VALUE, 'credo'] })
    expect(session.wallet_request.client_id).toMatch(/^x509_hash:/)
    expect(session.wallets).toContainEqual({
      id: BY_VALUE,
      result: 'cannot',
      reasons: [{ member: '/client_id', why: 'low_level_only' }],
    })
    const { verification_id: id } = session
    expect((await ask(setting, 'GET', id, `/qr?wallet=${BY_VALUE}`)).status).toBe(422)
    const page = await call(app, 'GET', session.session_url.replace('https://verifier.example', ''))
    const html = await page.text()
    expect(html).toContain('wallet=eudi-ios')
    expect(html).not.toContain(`wallet=${BY_VALUE}`)
  })

  it('is accepted at any level and length if the session is bound to a browser, because no QR code is shown', async () => {
    const bound = { required_assurance_level: 'substantial', required_session_binding: 'page' }
    const body = { ...own(LONG), ...bound, wallet: BY_VALUE }
    expect(await createSession(await setUp(), body)).toMatchObject({ wallet_request: null })
  })

  it('can decline, and the receipt then has the client identifier of this request', async () => {
    const setting = await setUp()
    const session = await createSession(setting, { wallet: BY_VALUE })
    const { verification_id: id, wallet_request } = session
    const state = new URL(wallet_request.uri.replace('openid4vp', 'https')).searchParams.get('state') ?? ''
    expect((await post(id, { error: 'access_denied', state })).status).toBe(200)
    const receipt = decodeJwt(await (await ask(setting, 'GET', id, '/receipt')).text())
    expect(receipt).toMatchObject({ status: 'declined', channel: 'by_value' })
    expect(receipt.client_id).toBe(wallet_request.client_id)
    expect(receipt.client_id).toMatch(/^redirect_uri:/)
  })
})
