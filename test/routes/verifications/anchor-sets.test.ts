// `anchor_sets` of a creation (api/trust): only anchors in one of the named sets vouch for its credentials.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import {
  createSession,
  fetchRequest,
  goodResponse,
  ISSUER,
  poll,
  post,
  type Setting,
  setUp,
} from '../../session/driver.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { issueSdJwtVc, makeKey, presentSdJwtVc } from '../../support/people/issuer.ts'
import { ADMIN, call, json } from '../edge/edge-app.ts'

const app = createApp()
const AGE = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
const SHARED = { name: 'An issuer', credential_types: ['age_attestation'], assurance_level: 'low' }
const listed = await mintIssuerPki()

afterEach(() => vi.restoreAllMocks())

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Body = any

/** Creates a relying party whose own issuer is in the set `banks`. Another issuer is in the set `state`. */
async function withSets(settings: Record<string, unknown> = {}): Promise<Setting> {
  const { publicJwk } = await makeKey()
  const other = { ...SHARED, issuer: 'https://state.example', jwks: { keys: [publicJwk] }, sets: ['state'] }
  const setting = await setUp(settings, [other])
  await moveIssuer(setting, ['banks', 'all'])
  return setting
}

/** Changes the sets of the relying party's own issuer. */
async function moveIssuer({ headers }: Setting, sets: readonly string[] | undefined): Promise<void> {
  const { trust_anchors: anchors } = await json(call(app, 'GET', '/v1/relying_party', { headers }))
  const trust_anchors = anchors.map(({ sets: old, ...anchor }: Body) => {
    const changed = anchor.issuer === ISSUER ? sets : old
    return { ...anchor, ...(changed && { sets: changed }) }
  })
  const changed = await json(call(app, 'PATCH', '/v1/relying_party', { headers, body: { trust_anchors } }))
  expect(changed.trust_anchors).toEqual(trust_anchors)
}

/** Lets the relying party's own issuer vouch for a response. Returns the status and the reason. */
async function respond(setting: Setting, session: Body) {
  const { verification_id: id, wallet_request } = session
  await post(id, await goodResponse(setting, await fetchRequest(wallet_request.request_uri)))
  return resultOf(setting, id)
}

async function resultOf(setting: Setting, id: string) {
  const { status, attempts } = await poll(setting, id)
  return [status, ...attempts.map(({ reason }: Body) => reason.code)]
}

/** Adds a list with the listed authority, or one that has never been fetched. */
async function publish(isMissing = false): Promise<string> {
  const name = `list-${crypto.randomUUID()}`
  const grant = { credential_types: ['age_attestation'], assurance_level: 'low' }
  const fetched = { url: 'https://lists.shop.org/vical', signers: [{ x509_ca_pem: listed.root.pem }] }
  const list = isMissing
    ? { kind: 'vical', ...fetched, services: [{ ...grant, type: 'some.type' }] }
    : { kind: 'pem_bundle', pem: listed.root.pem, services: [grant] }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('', { status: 404 }))
  const body = { name, ...list }
  expect((await call(app, 'POST', '/v1/admin/trust_lists', { headers: ADMIN, body })).status).toBe(201)
  return name
}

const UNTRUSTED = ['pending', 'untrusted_issuer']

describe('the anchors of a session', () => {
  it.each<[string, readonly string[] | undefined, readonly string[]]>([
    ['are all anchors if no set is named', undefined, ['verified']],
    ['are those of the named set', ['banks'], ['verified']],
    ['are those of all named sets', ['state', 'all'], ['verified']],
    ['are not those outside of the named set', ['state'], UNTRUSTED],
  ])('the anchors of a session %s', async (_, anchor_sets, result) => {
    const setting = await withSets()
    const session = await createSession(setting, anchor_sets && { anchor_sets })
    expect(await respond(setting, session)).toEqual(result)
    const view = await poll(setting, session.verification_id)
    expect(view.anchor_sets).toEqual(anchor_sets ?? null)
  })

  it('are none if the set was removed after the creation', async () => {
    for (const sets of [['state'], undefined]) {
      const setting = await withSets()
      const session = await createSession(setting, { anchor_sets: ['banks'] })
      await moveIssuer(setting, sets)
      expect(await respond(setting, session)).toEqual(UNTRUSTED)
    }
  })
})

describe('a trust list as a set', () => {
  /** Sends a credential of an issuer on the list. */
  async function respondByList(setting: Setting, body: object) {
    const { verification_id: id, wallet_request } = await createSession(setting, body)
    const { nonce, state, client_id } = await fetchRequest(wallet_request.request_uri)
    const { holder } = setting
    const iat = Math.floor(Date.now() / 1000)
    const credential = await issueSdJwtVc({
      issuer: { alg: 'ES256', privateJwk: listed.leaf.privateJwk as never },
      holder,
      x5c: [listed.leaf.x5c, listed.intermediate.x5c],
      claims: { vct: 'urn:eu.europa.ec.av:1', iat, age_over_18: true },
      disclosable: { _sd: ['age_over_18'] },
    })
    const presented = await presentSdJwtVc(credential, { holder, nonce, audience: client_id, iat })
    await post(id, { vp_token: JSON.stringify({ age_attestation: [presented] }), state })
    return resultOf(setting, id)
  }

  it('is used if the session names this set or no set, and is not used if it names another set', async () => {
    const name = await publish()
    const setting = await withSets({ anchor_sets: [name] })
    expect(await respondByList(setting, {})).toEqual(['verified'])
    expect(await respondByList(setting, { anchor_sets: [name] })).toEqual(['verified'])
    expect(await respondByList(setting, { anchor_sets: ['banks'] })).toEqual(UNTRUSTED)
    expect(await respond(setting, await createSession(setting, { anchor_sets: [name] }))).toEqual(UNTRUSTED)
  })

  it('is reported as unavailable if the session names this set or no set, but not if it names only other sets', async () => {
    const name = await publish(true)
    const setting = await withSets({ anchor_sets: [name] })
    const missing = ['pending', 'trust_list_unavailable']
    expect(await respondByList(setting, {})).toEqual(missing)
    expect(await respondByList(setting, { anchor_sets: [name, 'banks'] })).toEqual(missing)
    expect(await respondByList(setting, { anchor_sets: ['banks'] })).toEqual(UNTRUSTED)
  })
})

describe('a create request', () => {
  /** Sends a creation. Returns the status, and the pointer and code of each error. */
  async function create({ headers }: Pick<Setting, 'headers'>, body: object) {
    const response = await call(app, 'POST', '/v1/verify', { headers, body: { ...AGE, ...body } })
    const { errors = [] } = await json(response)
    return [response.status, ...errors.map(({ pointer, code }: Body) => `${pointer} ${code}`)]
  }

  it('is refused with a set that the settings do not have', async () => {
    const setting = await withSets()
    const wanted = [422, '/anchor_sets/1 unknown_anchor_set', '/anchor_sets/2 unknown_anchor_set']
    expect(await create(setting, { anchor_sets: ['banks', 'bank', await publish()] })).toEqual(wanted)
    expect(await create(setting, { anchor_sets: [] })).toEqual([400, '/anchor_sets too_small'])
  })

  it('is refused in live mode if no anchor or list of the named sets covers the requested type', async () => {
    const list = await publish()
    const missing = await publish(true)
    const { publicJwk } = await makeKey()
    const anchor = { ...SHARED, issuer: ISSUER, jwks: { keys: [publicJwk] }, sets: ['banks'] }
    const setting = await setUp({
      livemode: true,
      anchor_sets: [list, missing],
      trust_anchors: [anchor, { ...anchor, credential_types: ['pid'], sets: ['state'] }],
    })
    const unvouched = [422, '/credential_types/0 no_trust_anchor']
    for (const [anchor_sets, result] of [
      [['banks'], [201]],
      [[list], [201]],
      [[missing], [201]],
      [['state'], unvouched],
      [['state', missing], [201]],
    ]) {
      expect(await create(setting, { anchor_sets }), `${anchor_sets}`).toEqual(result)
    }
  })

  it('a create request with a query for an `etsi_tl` is refused if the named sets have no list', async () => {
    const list = await publish()
    const setting = await withSets({ anchor_sets: [list] })
    const trusted_authorities = [{ type: 'etsi_tl', values: ['https://lists.shop.org/lote'] }]
    const query = { id: 'one', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eu.europa.ec.av:1'] } }
    const dcql_query = {
      credentials: [{ ...query, claims: [{ path: ['age_over_18'] }], trusted_authorities }],
    }
    const body = { credential_types: undefined, scope: undefined, dcql_query }
    expect(await create(setting, { ...body, anchor_sets: [list] })).toEqual([201])
    const [status, ...errors] = await create(setting, { ...body, anchor_sets: ['banks'] })
    expect([status, errors.length]).toEqual([422, 1])
  })
})

it('a policy of an OpenID Connect client may name sets, and is refused if it names an unknown set', async () => {
  const { headers } = await withSets()
  const create = (anchor_sets: readonly string[]) => {
    const policies = [{ name: 'one', ...AGE, anchor_sets }]
    const body = { name: 'Shop', redirect_uris: ['https://client.example/callback'], policies }
    return json(call(app, 'POST', '/v1/oidc_clients', { headers, body }))
  }
  expect((await create(['banks'])).policies).toMatchObject([{ anchor_sets: ['banks'] }])
  expect((await create(['bank'])).errors).toMatchObject([{ pointer: '/policies/0/anchor_sets/0' }])
})
