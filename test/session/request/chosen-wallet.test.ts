// CONTRACT 3, 4: the terms of a chosen wallet in the stored session. They stay as they were when the wallet
// was chosen, and the policy of the session decides, whatever they are.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { SessionDocument, StoredWallet } from '../../../src/session/document.ts'
import { ask, createSession, fetchRequest, goodResponse, poll, post, setUp, stubOf } from '../driver.ts'

const WALLET = 'eudi-ios'
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

it('has the terms of each chosen wallet once, and none after its end', async () => {
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

it('makes every request for a wallet by the terms of its first choice', async () => {
  const setting = await setUp()
  const { verification_id: id } = await createSession(setting, { wallet: WALLET })
  await changeTerms(id, { link: 'earlier-release' })
  expect((await stubOf(id).render({ relyingPartyId: setting.relyingPartyId }, WALLET)).ok).toBe(true)
  const render = await stubOf(id).render({ relyingPartyId: setting.relyingPartyId }, null)
  expect(render.ok && render.value.uri).toMatch(/^earlier-release:/)
})

it.each([
  ['without claims', { credentials: [AGE] }],
  ['for another claim', { credentials: [{ ...AGE, claims: [{ path: ['age_over_16'] }] }] }],
])('refuses a response that satisfies terms %s and not the policy', async (_, query) => {
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
