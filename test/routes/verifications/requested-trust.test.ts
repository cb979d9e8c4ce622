// Trust for what a creation requests (api/creation and api/trust). In live mode a request that no anchor or
// list can vouch for is refused, and the settings warn. Test mode and unavailable lists refuse nothing.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { pki } from '../../trust/fixtures.ts'
import { ADMIN, call, createRelyingParty, json } from '../edge/edge-app.ts'

const app = createApp()

afterEach(() => vi.restoreAllMocks())

const anchor = (credential_types: readonly string[], changes: object = { x509_ca_pem: pki.root.pem }) => ({
  name: 'An issuer',
  credential_types,
  assurance_level: 'low',
  ...changes,
})

const PID = { credential_types: ['pid'], scope: ['family_name'] }
const PID_OR_MDL = { credential_types: ['pid', 'mdl'], scope: ['family_name'] }
const ADDED = {
  type: 'membership',
  formats: {
    'dc+sd-jwt': { meta: { vct_values: ['https://club.example/m'] }, scopes: { active: ['active'] } },
  },
}
const MEMBERSHIP = { credential_types: ['membership'], scope: ['active'] }
const DCQL = {
  dcql_query: {
    credentials: [
      { id: 'one', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } },
      { id: 'two', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } },
    ].map((query) => ({
      ...query,
      claims: [{ path: query.id === 'one' ? ['org.iso.18013.5.1', 'family_name'] : ['family_name'] }],
    })),
  },
}

/** Creates a relying party in live mode, with its headers. */
async function party(settings: Record<string, unknown> = {}, livemode = true) {
  const created = await createRelyingParty({ livemode, ...settings })
  return { created, headers: { Authorization: `Bearer ${created.api_key}` } }
}

async function create(settings: Record<string, unknown>, body: object, livemode = true) {
  const { headers } = await party(settings, livemode)
  return call(app, 'POST', '/v1/verify', { headers, body })
}

/** Adds a list of the operator's, and returns its name. */
async function publish(list: object): Promise<string> {
  const name = `list-${crypto.randomUUID()}`
  const response = await call(app, 'POST', '/v1/admin/trust_lists', {
    headers: ADMIN,
    body: { name, ...list },
  })
  expect(response.status).toBe(201)
  return name
}

const bundle = (credential_types: readonly string[], purpose = ['issuer'], assurance_level = 'low') => {
  const services = [{ credential_types, assurance_level, purpose }]
  return publish({ kind: 'pem_bundle', pem: pki.root.pem, services })
}

/** A list that has never been fetched. */
function missingList() {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('', { status: 404 }))
  return publish({
    kind: 'vical',
    url: 'https://lists.shop.org/vical',
    signers: [{ x509_ca_pem: pki.root.pem }],
    services: [{ type: 'org.iso.18013.5.1.mDL', credential_types: ['mdl'], assurance_level: 'low' }],
  })
}

describe('a create request in live mode', () => {
  it.each<[string, Record<string, unknown>, object, string[]]>([
    ['no anchor', {}, PID, ['/credential_types/0']],
    ['no anchor for any of several types', {}, PID_OR_MDL, ['/credential_types/0', '/credential_types/1']],
    [
      'an anchor for one of two required types',
      { trust_anchors: [anchor(['pid'])] },
      { ...PID_OR_MDL, credential_match: 'all' },
      ['/credential_types/1'],
    ],
    [
      'an anchor for other types',
      { trust_anchors: [anchor(['mdl', 'photo_id'])] },
      PID,
      ['/credential_types/0'],
    ],
    [
      'an anchor for `*`, which covers no built-in type',
      { trust_anchors: [anchor(['*'])] },
      PID,
      ['/credential_types/0'],
    ],
    [
      'an anchor for status lists only',
      { trust_anchors: [anchor(['pid'], { did: 'did:web:issuer.example', purpose: ['status'] })] },
      PID,
      ['/credential_types/0'],
    ],
    [
      'an anchor that has only keys, for HAIP, which needs certificates',
      { trust_anchors: [anchor(['pid'], { did: 'did:web:issuer.example' })] },
      { ...PID, protocol: 'haip-1.0' },
      ['/credential_types/0'],
    ],
    [
      'an anchor that has only keys, for an mdoc, which needs certificates',
      { trust_anchors: [anchor(['pid', 'mdl'], { issuer_url: 'https://issuer.example' })] },
      DCQL,
      ['/dcql_query/credentials/0'],
    ],
    ['no anchor for an added type', { credential_types: [ADDED] }, MEMBERSHIP, ['/credential_types/0']],
  ])('is refused with %s', async (_, settings, body, pointers) => {
    const response = await create(settings, body)
    expect(response.status).toBe(422)
    const { code, errors } = await json(response)
    expect(code).toBe('policy_unsatisfiable')
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers)
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'no_trust_anchor' })
      expect(error.message).toMatch(/none of your trust anchors or lists can vouch for it: add one to/)
    }
  })

  it.each<[string, Record<string, unknown>, object]>([
    ['an authority', { trust_anchors: [anchor(['pid'])] }, PID],
    ['a DID', { trust_anchors: [anchor(['pid'], { did: 'did:web:issuer.example' })] }, PID],
    [
      'an issuer’s address',
      { trust_anchors: [anchor(['pid'], { issuer_url: 'https://issuer.example' })] },
      PID,
    ],
    ['an anchor for one of several types', { trust_anchors: [anchor(['mdl'])] }, PID_OR_MDL],
    ['an anchor for `*`', { credential_types: [ADDED], trust_anchors: [anchor(['*'])] }, MEMBERSHIP],
  ])('is accepted with %s', async (_, settings, body) => {
    expect((await create(settings, body)).status).toBe(201)
  })

  it('is accepted with a trust list for its type, and refused with a list for another type or for status lists only', async () => {
    const accepted = await create({ anchor_sets: [await bundle(['pid'])] }, PID)
    expect(accepted.status).toBe(201)
    for (const list of [await bundle(['mdl']), await bundle(['pid'], ['status'])]) {
      expect((await create({ anchor_sets: [list] }, PID)).status).toBe(422)
    }
  })

  it('is accepted with an unavailable trust list, because this list may name the issuer', async () => {
    const anchor_sets = [await bundle(['mdl']), await missingList()]
    expect((await create({ anchor_sets }, PID)).status).toBe(201)
  })

  it('is refused after the only trust list for its type was erased', async () => {
    const list = await bundle(['pid'])
    const { headers } = await party({ anchor_sets: [list] })
    await call(app, 'DELETE', `/v1/admin/trust_lists/${list}`, { headers: ADMIN })
    expect((await call(app, 'POST', '/v1/verify', { headers, body: PID })).status).toBe(422)
  })

  it('returns the first session again by its Idempotency-Key, even if the settings no longer have an anchor', async () => {
    const { created, headers } = await party({ trust_anchors: [anchor(['pid'])] })
    const send = (key: string) =>
      call(app, 'POST', '/v1/verify', { headers: { ...headers, 'Idempotency-Key': key }, body: PID })
    const { verification_id } = await json(send('one'))
    const path = `/v1/admin/relying_parties/${created.relying_party_id}`
    await call(app, 'PATCH', path, { headers: ADMIN, body: { trust_anchors: [] } })
    expect(await json(send('one'))).toMatchObject({ verification_id })
    expect((await send('two')).status).toBe(422)
  })
})

it('a create request in test mode needs no anchor', async () => {
  for (const body of [PID, PID_OR_MDL, DCQL]) expect((await create({}, body, false)).status).toBe(201)
})

describe('the settings', () => {
  const warningsOf = async (settings: Record<string, unknown>, livemode = true) => {
    const { created, headers } = await party(settings, livemode)
    const read = await json(call(app, 'GET', '/v1/relying_party', { headers }))
    expect(read.warnings).toEqual(created.warnings)
    return created.warnings.map(({ code, pointer }: Record<string, string>) => [code, pointer])
  }
  const NONE = [['no_trust_anchor', '/trust_anchors']]

  it.each<[string, Record<string, unknown>, string[][]]>([
    ['without an anchor have a warning in live mode', {}, NONE],
    [
      'with an anchor only for status lists have a warning in live mode',
      { trust_anchors: [anchor(['pid'], { did: 'did:web:a.example', purpose: ['status'] })] },
      NONE,
    ],
    ['with an anchor have no warning in live mode', { trust_anchors: [anchor(['pid'])] }, []],
    [
      'with an anchor for `*` but no added type have a warning in live mode',
      { trust_anchors: [anchor(['*'])] },
      NONE,
    ],
    [
      'with keys for a type that exists only as an mdoc have a warning in live mode',
      { trust_anchors: [anchor(['mdl'], { did: 'did:web:a.example' })] },
      NONE,
    ],
    [
      'with an added type that no anchor names have a warning in live mode',
      { trust_anchors: [anchor(['pid'])], credential_types: [ADDED] },
      [['credential_type_without_trust_anchor', '/credential_types/0']],
    ],
    [
      'with an added type and an anchor for `*` have no warning in live mode',
      { trust_anchors: [anchor(['*'])], credential_types: [ADDED] },
      [],
    ],
  ])('%s, and no warning in test mode', async (_, settings, warnings) => {
    expect(await warningsOf(settings)).toEqual(warnings)
    expect(await warningsOf(settings, false)).toEqual([])
  })

  it('have no warning if they name a trust list, even if this list is unavailable', async () => {
    expect(await warningsOf({ anchor_sets: [await bundle(['pid'])] })).toEqual([])
    expect(await warningsOf({ anchor_sets: [await missingList()] })).toEqual([])
  })

  it('have no warning after an anchor is added', async () => {
    const { created, headers } = await party()
    expect(created.warnings[0].message).toMatch(/every creation is refused: add one to trust_anchors/)
    const change = { headers, body: { trust_anchors: [anchor(['pid'])] } }
    expect(await json(call(app, 'PATCH', '/v1/relying_party', change))).toMatchObject({ warnings: [] })
  })
})

describe('an essential acr of a login in live mode', () => {
  /** Returns the error that a login ends with before its page; null if the page opens. */
  async function errorWith(settings: Record<string, unknown>, level: string, policy: object = PID) {
    const { created, headers } = await party(settings)
    const redirect_uri = 'https://client.example/callback'
    const body = { name: 'Shop', redirect_uris: [redirect_uri], policies: [{ name: 'one', ...policy }] }
    const { client_id } = await json(call(app, 'POST', '/v1/oidc_clients', { headers, body }))
    const value = `urn:wallet-verifier:assurance:${level}`
    const query = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
      claims: JSON.stringify({ id_token: { acr: { essential: true, value } } }),
    })
    const response = await call(app, 'GET', `/oidc/${created.relying_party_id}/authorize?${query}`)
    return new URL(response.headers.get('Location') ?? '').searchParams.get('error')
  }

  const UNMET = 'unmet_authentication_requirements'
  const SUBSTANTIAL = anchor(['pid'], { x509_ca_pem: pki.root.pem, assurance_level: 'substantial' })

  it.each<[string, readonly object[], string, object, string | null]>([
    ['a level of one issuer is accepted', [anchor(['pid']), SUBSTANTIAL], 'substantial', PID, null],
    ['a level above the levels of all issuers is refused', [SUBSTANTIAL], 'high', PID, UNMET],
    [
      'a level for one of two alternative types is accepted',
      [anchor(['mdl']), SUBSTANTIAL],
      'substantial',
      PID_OR_MDL,
      null,
    ],
    [
      'a level for only one of two required types is refused',
      [anchor(['mdl']), SUBSTANTIAL],
      'substantial',
      { ...PID_OR_MDL, credential_match: 'all' },
      UNMET,
    ],
    [
      'a level that the policy requires and no issuer has is refused',
      [SUBSTANTIAL],
      'high',
      { ...PID, required_assurance_level: 'high' },
      UNMET,
    ],
    [
      'a level is refused if no issuer has the higher level that the policy requires',
      [SUBSTANTIAL],
      'substantial',
      { ...PID, required_assurance_level: 'high' },
      UNMET,
    ],
    [
      'a level that the policy requires and one issuer has is accepted',
      [SUBSTANTIAL],
      'substantial',
      { ...PID, required_assurance_level: 'substantial' },
      null,
    ],
    [
      'a level that only issuers outside of the named set have is refused',
      [SUBSTANTIAL, { ...anchor(['pid']), sets: ['banks'] }],
      'substantial',
      { ...PID, anchor_sets: ['banks'] },
      UNMET,
    ],
  ])('is checked against the trust anchors: %s', async (_, trust_anchors, level, policy, error) => {
    expect(await errorWith({ trust_anchors }, level, policy)).toBe(error)
  })

  it('is accepted if the level of a trust list is high enough, or if the list is unavailable', async () => {
    const list = await bundle(['pid'], ['issuer'], 'substantial')
    const settings = { anchor_sets: [list], trust_anchors: [anchor(['pid'])] }
    expect(await errorWith(settings, 'substantial')).toBeNull()
    expect(await errorWith(settings, 'high')).toBe(UNMET)
    expect(await errorWith({ ...settings, anchor_sets: [await missingList()] }, 'high')).toBeNull()
  })
})
