// api/wallets: the response to a creation says which wallets can answer.

import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()

type Finding = { readonly member: string; readonly why: string }
type WalletResult = {
  readonly id: string
  readonly result: string
  readonly left_out?: readonly Finding[]
  readonly reasons?: readonly Finding[]
}
type Created = { readonly wallets: readonly WalletResult[] }

const PID = { credential_types: ['pid'], scope: ['age_over_18'] }

async function walletsFor(body: object, rp: RelyingParty = stage.rp) {
  const { wallets } = (await expectStatus(await rp.call('POST', '/v1/verify', { body }), 201)) as Created
  return Object.fromEntries(wallets.map(({ id, ...result }) => [id, result]))
}

describe('`wallets` in the response to a create request', () => {
  it('lists every wallet profile once, in the order of the profiles', async () => {
    expect(Object.keys(await walletsFor(PID))).toEqual(WALLET_PROFILES.map(({ id }) => id))
  })

  it('has for each wallet the result (works, lowered or cannot) and the members that cause the result', async () => {
    const wallets = await walletsFor({ ...PID, allow_derived: true })
    expect(wallets['eudi-android']).toMatchObject({
      result: 'lowered',
      left_out: [{ member: '/dcql_query/credentials/0/claim_sets', why: 'one_claim_set' }, {}],
    })
    expect(wallets['apple-wallet']).toMatchObject({
      result: 'cannot',
      reasons: [
        { member: '/dcql_query/credentials/0/format', why: 'format_not_supported' },
        { member: '/dcql_query/credentials/1/meta', why: 'type_not_held' },
        { member: '/client_id', why: 'reader_certificate_needed' },
      ],
    })
  })

  it('names the missing settings that a wallet needs', async () => {
    const wallets = await walletsFor({ credential_types: ['mdl'], scope: ['family_name'] })
    const needs = (why: string) => ({ result: 'cannot', reasons: [{ member: '/client_id', why }] })
    expect(wallets).toMatchObject({
      'apple-wallet': needs('reader_certificate_needed'),
      'google-wallet': needs('google_wallet_needed'),
    })
  })

  it('has the result `cannot` for a wallet that would disclose all claims although the query requests none', async () => {
    const pid = { id: 'pid', format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' } }
    expect((await walletsFor({ dcql_query: { credentials: [pid] } }))['eudi-android']).toEqual({
      result: 'cannot',
      reasons: [{ member: '/dcql_query/credentials/0/claims', why: 'discloses_all' }],
    })
  })

  it('shows an unsigned request by value only if the relying party may use by_value', async () => {
    const age = { credential_types: ['age_attestation'], scope: ['age_over_18'], formats: ['mso_mdoc'] }
    const signed = await relyingPartyOf(stage, { by_value: false })
    const unsigned = await relyingPartyOf(stage, { by_value: true })
    const resultFor = async (rp: RelyingParty) => (await walletsFor(age, rp))['eu-age-android']
    // By the browser's API the app answers without a signature.
    expect(await resultFor(signed)).toEqual({
      result: 'lowered',
      browser: 'if_chosen',
      left_out: [{ member: '/uri', why: 'browser_only' }],
    })
    expect(await resultFor(unsigned)).toEqual({
      result: 'lowered',
      browser: 'if_chosen',
      left_out: [
        { member: '/uri', why: 'own_link' },
        { member: '/client_id', why: 'replaced' },
        { member: '/response_mode', why: 'replaced' },
      ],
    })
  })

  it('is not returned if a type has none of the scopes, because the create request gets 422', async () => {
    const body = { credential_types: ['pid', 'mdl'], scope: ['nationalities'], credential_match: 'all' }
    expect(await expectStatus(await stage.rp.call('POST', '/v1/verify', { body }), 422)).toMatchObject({
      code: 'policy_unsatisfiable',
      errors: [{ code: 'type_without_scope', pointer: '/credential_types/1' }],
    })
  })
})

describe('the root of the verifier certificate', () => {
  const GERMAN = 'german-eudi-wallet'
  const PID_MDOC = { ...PID, formats: ['mso_mdoc'] }

  async function shop(withRoot: boolean) {
    const root = await mintRoot()
    const leaf = await mintLeaf(root)
    const { kty, crv, x, y, d } = leaf.privateJwk
    const verifier = { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem }
    return relyingPartyOf(stage, {
      verifier: withRoot ? { ...verifier, root_certificate_pem: root.pem } : verifier,
    })
  }

  async function chainOf(rp: RelyingParty, body: object) {
    const { wallet_request } = await rp.create({ ...PID_MDOC, ...body })
    // Not through the linter of requests, which rejects a root.
    const { pathname } = new URL(wallet_request.request_uri ?? '')
    const fetched = await fetch(stage.service.server.origin + pathname, { method: 'POST' })
    return decodeProtectedHeader(await fetched.text()).x5c?.length
  }

  it('is sent in x5c to the German EUDI wallet only', async () => {
    const rp = await shop(true)
    expect(await chainOf(rp, { wallet: GERMAN })).toBe(2)
    expect(await chainOf(rp, { wallet: 'eudi-android' })).toBe(1)
    expect(await chainOf(rp, {})).toBe(1)
  })

  it('is required for the German EUDI wallet, which otherwise has the result `cannot`', async () => {
    const rp = await shop(false)
    expect((await walletsFor(PID_MDOC, rp))[GERMAN]).toEqual({
      result: 'cannot',
      reasons: [{ member: '/client_id', why: 'root_needed' }],
    })
  })
})
