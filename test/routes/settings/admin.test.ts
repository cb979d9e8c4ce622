import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeHex } from '../../../src/codec/bytes.ts'
import { directoryStub } from '../../../src/relying-party/directory.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_PEM } from '../../support/service/environment.ts'
import { ADMIN, call, createRelyingParty, edgeApp, json } from '../edge/edge-app.ts'

const LIST = '/v1/admin/relying_parties'
const app = edgeApp()

const admin = (method: string, path: string, body?: unknown) =>
  call(app, method, path, { headers: ADMIN, body })

type Listed = { readonly relying_party_id: string; readonly name: string }

/** Returns all relying parties, in pages of at most `limit`. */
async function listed(limit: number): Promise<readonly Listed[]> {
  const seen: Listed[] = []
  let cursor: string | null = '0'
  while (cursor !== null) {
    const page: { relying_parties: Listed[]; next_cursor: string | null } = await json(
      admin('GET', `${LIST}?limit=${limit}&after=${cursor}`),
    )
    expect(page.relying_parties.length).toBeLessThanOrEqual(limit)
    seen.push(...page.relying_parties)
    cursor = page.next_cursor
  }
  return seen
}

describe('a change by the operator', () => {
  /** Returns the lines of changes that were logged by `work`. */
  async function changesOf(work: () => Promise<unknown>) {
    const log = vi.spyOn(console, 'log').mockReturnValue(undefined)
    await work()
    const lines = log.mock.calls.map(([line]) => JSON.parse(line))
    log.mockRestore()
    return lines.filter(({ event }) => event === 'operator_change')
  }
  const line = {
    time: expect.any(String),
    level: 'info',
    event: 'operator_change',
    request_id: expect.stringMatching(/^req_/),
    actor: null,
    token: 'ADMIN_TOKEN',
  }

  it('is logged with its action, its target and the token that made it, and reads are not logged', async () => {
    let id = ''
    const created = await changesOf(async () => {
      id = (await createRelyingParty()).relying_party_id
    })
    expect(created).toEqual([{ ...line, action: `POST ${LIST}`, target: id, status: 201 }])
    expect(await changesOf(() => admin('GET', `${LIST}/${id}`))).toEqual([])
    const headers = { ...ADMIN, Operator: 'ada@shop.example' }
    expect(await changesOf(() => call(app, 'DELETE', `${LIST}/${id}`, { headers }))).toEqual([
      { ...line, action: `DELETE ${LIST}/:rp`, target: id, status: 204, actor: 'ada@shop.example' },
    ])
  })

  it('a change of an API key by the operator is logged with the key’s id, never with the key', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    let key = { key_id: '', api_key: '' }
    const [created, ...none] = await changesOf(async () => {
      key = await json(await admin('POST', `${LIST}/${id}/api_keys`, {}))
    })
    expect(none).toEqual([])
    expect(created).toMatchObject({ action: `POST ${LIST}/:rp/api_keys`, target: id })
    expect(JSON.stringify(created)).not.toContain(key.api_key)
    const revoked = await changesOf(() => admin('DELETE', `${LIST}/${id}/api_keys/${key.key_id}`))
    expect(revoked).toMatchObject([{ target: id, key_id: key.key_id, status: 204 }])
  })

  it('is not logged if it was refused; an operator name that could forge a log line is omitted', async () => {
    expect(await changesOf(() => admin('DELETE', `${LIST}/rp_unknown`))).toEqual([])
    expect(await changesOf(() => call(app, 'POST', LIST, { body: { name: 'x' } }))).toEqual([])
    const headers = { ...ADMIN, Operator: '"} {"event":"x' }
    const body = { name: 'Shop' }
    expect(await changesOf(() => call(app, 'POST', LIST, { headers, body }))).toMatchObject([{ actor: null }])
  })
})

describe('the operator’s token', () => {
  it('is required: without a token the response is 401 with a challenge', async () => {
    const response = await call(app, 'GET', LIST)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect((await json(response)).code).toBe('missing_token')
  })

  it.each(['wrong', `${ADMIN.Authorization.slice(7)}x`, ADMIN.Authorization.slice(7, -1)])(
    'must be exact: the token %s is refused',
    async (token) => {
      const response = await call(app, 'GET', LIST, { headers: { Authorization: `Bearer ${token}` } })
      expect(response.status).toBe(401)
      expect((await json(response)).code).toBe('invalid_token')
    },
  )

  it("cannot be replaced by an API key on the operator's routes", async () => {
    const { api_key } = await createRelyingParty()
    const response = await call(app, 'GET', LIST, { headers: { Authorization: `Bearer ${api_key}` } })
    expect(response.status).toBe(401)
  })

  it("must be configured: without it, the operator's routes get 404 for any token", async () => {
    const { ADMIN_TOKEN, ...without } = { ...env }
    for (const [method, path] of [
      ['GET', LIST],
      ['DELETE', LIST],
      ['POST', LIST],
    ] as const) {
      const response = await call(app, method, path, { headers: ADMIN, env: without })
      expect(response.status).toBe(404)
      expect((await json(response)).code).toBe('not_found')
    }
  })
})

describe('creating a relying party', () => {
  it('responds with 201, an id, two secrets and the default of every setting', async () => {
    const response = await admin('POST', LIST, { name: 'Shop' })
    expect(response.status).toBe(201)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const created = await json(response)
    expect(created).toEqual({
      relying_party_id: expect.stringMatching(/^rp_[A-Za-z0-9_-]{43}$/),
      api_key: expect.stringMatching(/^wv_test_[A-Za-z0-9_-]{43}\.[0-9a-f]{16}\.[A-Za-z0-9_-]{43}$/),
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      name: 'Shop',
      livemode: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      webhook: null,
      trust_anchors: [],
      anchor_sets: [],
      credential_types: [],
      transaction_data_types: [],
      formats: null,
      request_options: {},
      by_value: true,
      status_unavailable: 'refuse',
      certificate_revocation: 'off',
      enforce_registration: false,
      eu_age_verification: false,
      index: true,
      google_wallet: null,
      return_urls: [],
      origins: [],
      privacy_policy_uri: null,
      alternative_url: null,
      values_retention_days: null,
      branding: null,
      retention_seconds: 172_800,
      claims_encryption_jwk: null,
      evidence: null,
      console_sign_in: null,
      verifier: null,
      warnings: [],
      api_keys: [
        {
          key_id: created.api_key.split('.')[1],
          name: null,
          scopes: [
            'verify:create',
            'verify:read',
            'verify:request',
            'webhooks:manage',
            'settings:manage',
            'claims:encrypt',
          ],
          created_at: created.created_at,
          expires_at: null,
          last_used_at: null,
        },
      ],
    })
  })

  it('gives a live relying party a live key, and turns by_value off', async () => {
    const created = await createRelyingParty({ livemode: true })
    expect(created.api_key).toMatch(/^wv_live_/)
    expect(created.by_value).toBe(false)
  })

  it('returns each secret once: neither GET, PATCH nor the list repeats a secret', async () => {
    const signing_jwk = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
    const verifier = { signing_jwk, certificate_chain_pem: VERIFIER_CERTIFICATE_PEM }
    const { relying_party_id: id, api_key, webhook_secret } = await createRelyingParty({ verifier })
    const answers = await Promise.all([
      admin('GET', `${LIST}/${id}`),
      admin('PATCH', `${LIST}/${id}`, { name: 'Renamed' }),
      admin('GET', `${LIST}?limit=100`),
    ])
    for (const response of answers) {
      expect(response.status).toBe(200)
      const text = await response.text()
      for (const secret of [api_key, api_key.split('.')[2], webhook_secret, signing_jwk.d]) {
        expect(text).not.toContain(secret)
      }
      expect(text).not.toContain('hash')
    }
  })

  it('stores no secret as plain text', async () => {
    const signing_jwk = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
    const verifier = { signing_jwk, certificate_chain_pem: VERIFIER_CERTIFICATE_PEM }
    const { relying_party_id: id, api_key, webhook_secret } = await createRelyingParty({ verifier })
    const stored = await runInDurableObject(stubOf(id), (_, state) => {
      const rows = [...state.storage.kv.list()]
      return { count: rows.length, text: JSON.stringify(rows) }
    })
    expect(stored.count).toBe(1)
    expect(stored.text).toContain('Shop') // the scan finds stored values
    for (const secret of [api_key.split('.')[2], webhook_secret, webhook_secret.slice(6), signing_jwk.d]) {
      expect(stored.text).not.toContain(secret)
    }
  })

  it('adds the relying party to the list, which is paged in the order of creation', async () => {
    const names = ['list 1', 'list 2', 'list 3']
    const ids: string[] = []
    for (const name of names) ids.push((await createRelyingParty({ name })).relying_party_id)
    const seen = await listed(2)
    expect(seen.filter((entry) => ids.includes(entry.relying_party_id)).map(({ name }) => name)).toEqual(
      names,
    )
    expect(new Set(seen.map((entry) => entry.relying_party_id)).size).toBe(seen.length)
  })

  it.each(['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'after=-1', 'page=2'])(
    'the list of relying parties refuses the query %s',
    async (query) => {
      const response = await admin('GET', `${LIST}?${query}`)
      expect(response.status).toBe(400)
      const body = await json(response)
      expect(body.code).toBe('invalid_request')
      expect(body.errors[0].pointer).toBe(`/${query.split('=')[0]}`)
    },
  )
})

describe('changing a relying party', () => {
  it('replaces the members that are sent, keeps the others, and renames the entry in the list', async () => {
    const { relying_party_id: id } = await createRelyingParty({ retention_seconds: 3600 })
    const patched = await json(
      admin('PATCH', `${LIST}/${id}`, { name: 'New name', webhook: { url: 'https://hooks.shop.org/in' } }),
    )
    expect(patched).toMatchObject({ name: 'New name', retention_seconds: 3600 })
    expect(patched.webhook).toMatchObject({ url: 'https://hooks.shop.org/in', disabled: false })
    expect(patched.webhook.events).toHaveLength(5)
    expect(await json(admin('GET', `${LIST}/${id}`))).toEqual(patched)
    expect((await listed(100)).find((entry) => entry.relying_party_id === id)?.name).toBe('New name')
  })

  it('removes optional members with null', async () => {
    const { relying_party_id: id } = await createRelyingParty({
      webhook: { url: 'https://hooks.shop.org/in' },
    })
    expect((await json(admin('PATCH', `${LIST}/${id}`, { webhook: null }))).webhook).toBeNull()
  })

  it('cannot change the mode', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const body = await json(admin('PATCH', `${LIST}/${id}`, { livemode: true }))
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '/livemode' })])
  })

  it('keeps the change of each of many simultaneous calls', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    await Promise.all([
      ...Array.from({ length: 10 }, () => admin('POST', `${LIST}/${id}/api_keys`, {})),
      admin('PATCH', `${LIST}/${id}`, { name: 'At once' }),
      admin('PATCH', `${LIST}/${id}`, { by_value: false }),
    ])
    const settings = await json(admin('GET', `${LIST}/${id}`))
    expect(settings.api_keys).toHaveLength(11)
    expect(settings).toMatchObject({ name: 'At once', by_value: false })
  })
})

describe('erasing a relying party', () => {
  it('leaves nothing in storage and in the list, and each later call gets 404', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    expect((await admin('DELETE', `${LIST}/${id}`)).status).toBe(204)
    expect((await admin('DELETE', `${LIST}/${id}`)).status).toBe(404)
    expect((await admin('GET', `${LIST}/${id}`)).status).toBe(404)
    const rows = await runInDurableObject(stubOf(id), (_, state) => [...state.storage.kv.list()])
    expect(rows).toEqual([])
    expect((await listed(100)).map((entry) => entry.relying_party_id)).not.toContain(id)
  })
})

describe('an id that this service did not issue', () => {
  const foreign = [
    'rp_',
    'nobody',
    `rp_${'A'.repeat(43)}`,
    `rp_${'A'.repeat(42)}B`, // pad bits that are not zero
    `rp_${'A'.repeat(5000)}`,
  ]
  it.each(foreign)('gets 404 on every route and creates nothing: %s', async (id) => {
    const before = (await listDurableObjectIds(env.RELYING_PARTY)).length
    const answers = await Promise.all([
      admin('GET', `${LIST}/${id}`),
      admin('PATCH', `${LIST}/${id}`, { name: 'x' }),
      admin('DELETE', `${LIST}/${id}`),
      admin('POST', `${LIST}/${id}/api_keys`, {}),
      admin('DELETE', `${LIST}/${id}/api_keys/0011223344556677`),
      admin('POST', `${LIST}/${id}/webhook/rotate_secret`),
      admin('POST', `${LIST}/${id}/webhook/test`),
      admin('POST', `${LIST}/${id}/webhook/enable`),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect((await listDurableObjectIds(env.RELYING_PARTY)).length).toBe(before)
  })

  it('gets 404 even if it is a real id with one changed character', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const altered = id.slice(0, 10) + (id[10] === 'A' ? 'B' : 'A') + id.slice(11)
    expect((await admin('GET', `${LIST}/${altered}`)).status).toBe(404)
  })

  it('gets 404 even if it is the id of a session', async () => {
    const bytes = decodeHex(env.VERIFICATION_SESSION.newUniqueId().toString())!
    expect((await admin('GET', `${LIST}/rp_${encodeBase64url(bytes)}`)).status).toBe(404)
  })
})

describe('API keys', () => {
  it('are created with the requested name, scopes and expiry', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    const response = await admin('POST', `${LIST}/${id}/api_keys`, {
      name: 'Till 3',
      scopes: ['verify:read'],
      expires_at: '2100-01-01T00:00:00Z',
    })
    expect(response.status).toBe(201)
    expect(await json(response)).toEqual({
      api_key: expect.stringMatching(/^wv_test_/),
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'Till 3',
      scopes: ['verify:read'],
      created_at: expect.any(String),
      expires_at: '2100-01-01T00:00:00.000Z',
      last_used_at: null,
    })
  })

  it.each([
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['verify:all'] }, '/scopes/0'],
    [{ scopes: ['verify:read', 'verify:read'] }, '/scopes'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    [{ expires_at: '2100-01-01T00:00:00+01:00' }, '/expires_at'],
    [{ expires_at: 4102444800 }, '/expires_at'],
    [{ name: '' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ name: 'Till\u0007' }, '/name'],
    [{ name: ' Till' }, '/name'],
    [{ name: 3 }, '/name'],
    [{ label: 'x' }, '/label'],
  ])('cannot be created with %j', async (body, pointer) => {
    const { relying_party_id: id } = await createRelyingParty()
    const response = await admin('POST', `${LIST}/${id}/api_keys`, body)
    expect(response.status).toBe(400)
    expect((await json(response)).errors[0].pointer).toBe(pointer)
  })

  it('are deleted by DELETE, and a second DELETE gets 404', async () => {
    const { relying_party_id: id, api_keys } = await createRelyingParty()
    const path = `${LIST}/${id}/api_keys/${api_keys[0].key_id}`
    expect((await admin('DELETE', path)).status).toBe(204)
    expect((await admin('DELETE', path)).status).toBe(404)
    expect((await json(admin('GET', `${LIST}/${id}`))).api_keys).toEqual([])
  })

  it('are limited to 50', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    for (let i = 1; i < 50; i++) expect((await admin('POST', `${LIST}/${id}/api_keys`, {})).status).toBe(201)
    const response = await admin('POST', `${LIST}/${id}/api_keys`, {})
    expect(response.status).toBe(400)
    expect((await json(admin('GET', `${LIST}/${id}`))).api_keys).toHaveLength(50)
  })
})

describe('the webhook', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const webhook = { url: 'https://hooks.shop.org/in' }

  it('gets a new secret by a rotation: the secret is returned once, with the expiry of the old secret', async () => {
    const { relying_party_id: id, webhook_secret } = await createRelyingParty({ webhook })
    const response = await admin('POST', `${LIST}/${id}/webhook/rotate_secret`)
    expect(response.status).toBe(200)
    const rotated = await json(response)
    expect(rotated.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rotated.webhook_secret).not.toBe(webhook_secret)
    const overlap = Date.parse(rotated.previous_secret_expires_at) - Date.now()
    expect(Math.abs(overlap - 24 * 3600 * 1000)).toBeLessThan(60_000)
    expect(await (await admin('GET', `${LIST}/${id}`)).text()).not.toContain(rotated.webhook_secret)
  })

  it('is tested by one POST, and the response contains the outcome', async () => {
    const { relying_party_id: id } = await createRelyingParty({ webhook })
    const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 500 }))
    const response = await admin('POST', `${LIST}/${id}/webhook/test`)
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({
      event_id: expect.stringMatching(/^evt_/),
      event: expect.objectContaining({ event_type: 'webhook.test', relying_party_id: id }),
      succeeded: false,
      status: 500,
      error: null,
      duration_ms: expect.any(Number),
    })
    expect(fetched).toHaveBeenCalledTimes(1)
  })

  it('is disabled by a response 410, until it is enabled', async () => {
    const { relying_party_id: id } = await createRelyingParty({ webhook })
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 410 }))
    await admin('POST', `${LIST}/${id}/webhook/test`)
    expect((await json(admin('GET', `${LIST}/${id}`))).webhook.disabled).toBe(true)
    expect((await json(admin('POST', `${LIST}/${id}/webhook/enable`))).webhook.disabled).toBe(false)
    expect((await json(admin('GET', `${LIST}/${id}`))).webhook.disabled).toBe(false)
  })

  it('must exist to be tested or enabled', async () => {
    const { relying_party_id: id } = await createRelyingParty()
    for (const action of ['test', 'enable']) {
      const response = await admin('POST', `${LIST}/${id}/webhook/${action}`)
      expect([response.status, (await json(response)).code]).toEqual([409, 'webhook_not_configured'])
    }
  })
})

function stubOf(relyingPartyId: string) {
  return relyingPartyStub(env, relyingPartyId)!
}

describe('trust lists', () => {
  const LISTS = '/v1/admin/trust_lists'

  it('are limited to 50: one more list is refused with this limit, and is not stored', async () => {
    const directory = directoryStub(env)
    const before = await listDurableObjectIds(env.TRUST_LIST)
    const names = Array.from({ length: 50 }, (_, i) => `list-${i}`)
    for (const name of names) expect(await directory.addTrustList({ name, livemode: false })).toBe(true)
    const services = [{ credential_types: ['pid'], assurance_level: 'low', purpose: ['issuer'] }]
    const { root } = await mintIssuerPki()
    const one = { name: 'one-more', kind: 'pem_bundle', pem: root.pem, services }
    const response = await admin('POST', LISTS, one)
    expect([response.status, await json(response)]).toMatchObject([
      400,
      { code: 'invalid_request', detail: 'The limit of 50 trust lists is reached: delete one first.' },
    ])
    expect(await listDurableObjectIds(env.TRUST_LIST)).toEqual(before)
    expect((await admin('GET', `${LISTS}/one-more`)).status).toBe(404)
    expect((await admin('DELETE', `${LISTS}/list-0`)).status).toBe(204)
    expect((await admin('POST', LISTS, one)).status).toBe(201)
    const again = await admin('POST', LISTS, one)
    const message = 'must not be the name of an existing list'
    expect([again.status, (await json(again)).errors]).toEqual([
      400,
      [{ pointer: '/name', code: 'invalid_value', message }],
    ])
    for (const name of [...names, 'one-more']) await directory.removeTrustList(name)
  })
})
