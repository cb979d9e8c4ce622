import { describe, expect, it } from 'vitest'
import { addedTypeToWire } from '../../src/relying-party/settings/added-types.ts'
import { creationSchema, patchSchema } from '../../src/relying-party/settings/settings-schema.ts'
import {
  type CertificateOptions,
  type Minted,
  mintIntermediate,
  mintLeaf,
  mintRoot,
} from '../support/certificates/certificates.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = {
  now: NOW,
  baseUrl: 'https://verifier.example',
  allowLoopback: false,
  trustLists: [
    { name: 'eu_pid', livemode: true },
    { name: 'sandbox', livemode: false },
  ],
}
const LOOPBACK_RULES = { ...RULES, allowLoopback: true }

/** The public key of RFC 7517 Appendix A.1. */
const PUBLIC_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

const EMPLOYEE = {
  type: 'employee_id',
  formats: {
    'dc+sd-jwt': {
      meta: { vct_values: ['https://credentials.shop.org/employee'] },
      scopes: { employee_number: ['employee', 'number'], active: { path: ['active'], boolean: true } },
    },
  },
}

const ANCHOR = {
  name: 'Issuer',
  credential_types: ['employee_id'],
  assurance_level: 'high',
  issuer: 'https://issuer.shop.org',
  jwks: { keys: [PUBLIC_KEY] },
}

/** A good body with every member. Each entry of `faults` changes one thing in it. */
const GOOD = {
  name: 'Shop',
  livemode: true,
  webhook: { url: 'https://hooks.shop.org/in', events: ['verification.verified'] },
  trust_anchors: [ANCHOR],
  anchor_sets: ['eu_pid'],
  credential_types: [EMPLOYEE],
  transaction_data_types: [
    {
      type: 'order',
      title: 'Your order',
      members: [{ path: ['id'], label: 'Order', kind: 'text', optional: false }],
    },
  ],
  formats: ['dc+sd-jwt'],
  request_options: {
    client_id_prefix: 'x509_san_dns',
    response_mode: 'direct_post',
    request_uri_method: 'get',
  },
  by_value: true,
  status_unavailable: 'accept',
  certificate_revocation: 'accept_unknown',
  enforce_registration: true,
  eu_age_verification: true,
  index: false,
  google_wallet: { logo_uri: 'https://shop.org/logo.png', privacy_policy_uri: 'https://shop.org/privacy' },
  return_urls: ['https://shop.org/done?step=2'],
  origins: ['https://shop.org'],
  privacy_policy_uri: 'https://shop.org/privacy#data',
  alternative_url: 'https://shop.org/other?way=1',
  values_retention_days: 36_500,
  branding: { color: '#1D4ed8', logo: 'data:image/png;base64,iVBORw0KGgo=' },
  retention_seconds: 3600,
  console_sign_in: {
    issuer: 'https://login.shop.org',
    client_id: 'console',
    client_secret: 'a secret',
    roles_claim: 'groups',
    roles: { support: ['verify:read'] },
  },
  claims_encryption_jwk: { ...PUBLIC_KEY, kid: 'k1', use: 'enc', alg: 'ECDH-ES' },
}

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
const LOGO_FAULTS: [string, string][] = [
  ['at an address', 'https://shop.org/logo.png'],
  ['that is an SVG', `data:image/svg+xml;base64,${SVG}`],
  ['that is an SVG and says PNG', `data:image/png;base64,${SVG}`],
  ['of another format than it says', 'data:image/jpeg;base64,iVBORw0KGgo='],
  ['without base64', 'data:image/png,%89PNG'],
  ['with white space', 'data:image/png;base64,iVBORw0 KGgo='],
  ['with a parameter', 'data:image/png;charset=utf-8;base64,iVBORw0KGgo='],
  ['of more than 12 KiB', `data:image/png;base64,iVBORw0KGgo${'A'.repeat(16_384)}`],
]

describe('the creation of a relying party', () => {
  it('is accepted with every member, and gives each member in the form that is used internally', async () => {
    expect(await creationSchema(RULES).parseAsync(GOOD)).toEqual({
      ...GOOD,
      credential_types: [
        {
          name: 'employee_id',
          formats: {
            'dc+sd-jwt': {
              identifiers: ['https://credentials.shop.org/employee'],
              scopes: {
                employee_number: { path: ['employee', 'number'] },
                active: { path: ['active'], boolean: true },
              },
            },
          },
        },
      ],
      claims_encryption_jwk: { ...PUBLIC_KEY, kid: 'k1' },
      verifier: null,
      reader_certificates: [],
      further_verifiers: [],
    })
  })

  it.each([
    [true, 'require'],
    [false, 'off'],
  ])('with livemode %s sets certificate_revocation to "%s" by default', async (livemode, expected) => {
    const created = await creationSchema(RULES).parseAsync({ name: 'Shop', livemode })
    expect(created.certificate_revocation).toBe(expected)
  })

  it('is accepted if members are exactly at their limits', async () => {
    const within = {
      ...GOOD,
      name: 'x'.repeat(100),
      retention_seconds: 2_592_000,
      return_urls: Array.from({ length: 50 }, (_, i) => `https://shop.org/${i}`),
    }
    expect((await creationSchema(RULES).safeParseAsync(within)).success).toBe(true)
  })

  const faults: [string, Record<string, unknown>, string][] = [
    ['an unknown member', { extra: 1 }, ''],
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, '/name'],
    ['a name with a line break', { name: 'a\nb' }, '/name'],
    ['an unknown certificate_revocation', { certificate_revocation: 'refuse' }, '/certificate_revocation'],
    ['a mode that is no boolean', { livemode: 'true' }, '/livemode'],
    ['a webhook on http', { webhook: { url: 'http://hooks.shop.org/in' } }, '/webhook/url'],
    ['a webhook on a private address', { webhook: { url: 'https://10.0.0.1/in' } }, '/webhook/url'],
    ['a webhook on this service', { webhook: { url: 'https://verifier.example/in' } }, '/webhook/url'],
    [
      'an unknown event',
      { webhook: { url: GOOD.webhook.url, events: ['verification.done'] } },
      '/webhook/events/0',
    ],
    ['no event', { webhook: { url: GOOD.webhook.url, events: [] } }, '/webhook/events'],
    ['an unknown member of the webhook', { webhook: { url: GOOD.webhook.url, secret: 'x' } }, '/webhook'],
    [
      'an anchor with two mechanisms',
      { trust_anchors: [{ ...ANCHOR, issuer_url: 'https://i.shop.org' }] },
      '/trust_anchors/0',
    ],
    [
      'an anchor of no known level',
      { trust_anchors: [{ ...ANCHOR, assurance_level: 'top' }] },
      '/trust_anchors/0/assurance_level',
    ],
    [
      'an unknown member of an anchor',
      { trust_anchors: [{ ...ANCHOR, expires: 1 }] },
      '/trust_anchors/0/expires',
    ],
    ['101 anchors', { trust_anchors: Array.from({ length: 101 }, () => ANCHOR) }, '/trust_anchors'],
    ['an unknown anchor set', { anchor_sets: ['eu_pid', 'vical'] }, '/anchor_sets/1'],
    ['a trust list that is only for test mode', { anchor_sets: ['sandbox'] }, '/anchor_sets/0'],
    ['an anchor set named twice', { anchor_sets: ['eu_pid', 'eu_pid'] }, '/anchor_sets'],
    [
      'an added type with a built-in name',
      { credential_types: [{ ...EMPLOYEE, type: 'pid' }] },
      '/credential_types/0/type',
    ],
    [
      'an added type with a built-in identifier',
      { credential_types: [typeWith({ meta: { vct_values: ['urn:eudi:pid:1'] } })] },
      '/credential_types/0/formats/dc+sd-jwt/meta',
    ],
    [
      'two added types of one name',
      { credential_types: [EMPLOYEE, typeWith({ meta: { vct_values: ['https://shop.org/other'] } })] },
      '/credential_types/1/type',
    ],
    [
      'an added type in an unknown format',
      { credential_types: [{ ...EMPLOYEE, formats: { ldp_vc: {} } }] },
      '/credential_types/0/formats',
    ],
    [
      'an added type in no format',
      { credential_types: [{ ...EMPLOYEE, formats: {} }] },
      '/credential_types/0/formats',
    ],
    [
      'an added type name in capitals',
      { credential_types: [{ ...EMPLOYEE, type: 'Employee' }] },
      '/credential_types/0/type',
    ],
    [
      'meta of another format',
      { credential_types: [typeWith({ meta: { doctype_value: 'x' } })] },
      '/credential_types/0/formats/dc+sd-jwt/meta',
    ],
    [
      'no identifier',
      { credential_types: [typeWith({ meta: { vct_values: [] } })] },
      '/credential_types/0/formats/dc+sd-jwt/meta',
    ],
    [
      'no scope',
      { credential_types: [typeWith({ scopes: {} })] },
      '/credential_types/0/formats/dc+sd-jwt/scopes',
    ],
    [
      'a scope with a space',
      { credential_types: [typeWith({ scopes: { 'a b': ['a'] } })] },
      '/credential_types/0/formats/dc+sd-jwt/scopes/a b',
    ],
    [
      'an empty path',
      { credential_types: [typeWith({ scopes: { a: [] } })] },
      '/credential_types/0/formats/dc+sd-jwt/scopes/a',
    ],
    [
      'a path from an index',
      { credential_types: [typeWith({ scopes: { a: [0] } })] },
      '/credential_types/0/formats/dc+sd-jwt/scopes/a',
    ],
    ['an unknown format', { formats: ['ldp_vc'] }, '/formats/0'],
    ['no format', { formats: [] }, '/formats'],
    ['a format twice', { formats: ['dc+sd-jwt', 'dc+sd-jwt'] }, '/formats'],
    [
      'an unknown response mode',
      { request_options: { response_mode: 'fragment' } },
      '/request_options/response_mode',
    ],
    ['an unknown request option', { request_options: { nonce: 'x' } }, '/request_options'],
    ['a return URL on http', { return_urls: ['http://shop.org/done'] }, '/return_urls/0'],
    ['a return URL with a fragment', { return_urls: ['https://shop.org/#done'] }, '/return_urls/0'],
    ['a return URL with a password', { return_urls: ['https://a:b@shop.org/'] }, '/return_urls/0'],
    ['a return URL with a line break', { return_urls: ['https://shop.org/\n'] }, '/return_urls/0'],
    ['a return URL with a backslash', { return_urls: ['https://shop.org\\@evil.org/'] }, '/return_urls/0'],
    ['a return URL that is a script', { return_urls: ['javascript:alert(1)'] }, '/return_urls/0'],
    [
      '51 return URLs',
      { return_urls: Array.from({ length: 51 }, (_, i) => `https://shop.org/${i}`) },
      '/return_urls',
    ],
    ['an origin with a slash', { origins: ['https://shop.org/'] }, '/origins/0'],
    ['an origin on http', { origins: ['http://shop.org'] }, '/origins/0'],
    ['a privacy notice on http', { privacy_policy_uri: 'http://shop.org/p' }, '/privacy_policy_uri'],
    ['a privacy notice as a script', { privacy_policy_uri: 'javascript:alert(1)' }, '/privacy_policy_uri'],
    ['an alternative on http', { alternative_url: 'http://shop.org/' }, '/alternative_url'],
    ['an alternative with a fragment', { alternative_url: 'https://shop.org/#a' }, '/alternative_url'],
    ['a colour by name', { branding: { color: 'red' } }, '/branding/color'],
    ['a colour with a style behind it', { branding: { color: '#1d4ed8;}' } }, '/branding/color'],
    ['an unknown member of the branding', { branding: { font: 'x' } }, '/branding'],
    ...LOGO_FAULTS.map(([name, logo]): [string, Record<string, unknown>, string] => [
      `a logo ${name}`,
      { branding: { logo } },
      '/branding/logo',
    ]),
    ['storage of values for no day', { values_retention_days: 0 }, '/values_retention_days'],
    ['storage of values above 100 years', { values_retention_days: 36_501 }, '/values_retention_days'],
    ['storage of values for half a day', { values_retention_days: 0.5 }, '/values_retention_days'],
    ['retention below an hour', { retention_seconds: 3599 }, '/retention_seconds'],
    ['retention above 30 days', { retention_seconds: 2_592_001 }, '/retention_seconds'],
    ['retention of half a second', { retention_seconds: 3600.5 }, '/retention_seconds'],
    [
      'a private encryption key',
      { claims_encryption_jwk: { ...PUBLIC_KEY, d: PUBLIC_KEY.x } },
      '/claims_encryption_jwk/d',
    ],
    [
      'an encryption key off the curve',
      { claims_encryption_jwk: { ...PUBLIC_KEY, y: PUBLIC_KEY.x } },
      '/claims_encryption_jwk',
    ],
    [
      'an encryption key with white space',
      { claims_encryption_jwk: { ...PUBLIC_KEY, x: `${PUBLIC_KEY.x.slice(0, 42)} ` } },
      '/claims_encryption_jwk/x',
    ],
    [
      'an encryption key on another curve',
      { claims_encryption_jwk: { ...PUBLIC_KEY, crv: 'P-384' } },
      '/claims_encryption_jwk/crv',
    ],
    [
      'an encryption key for signing',
      { claims_encryption_jwk: { ...PUBLIC_KEY, use: 'sig' } },
      '/claims_encryption_jwk/use',
    ],
  ]
  it.each(faults)('is refused for %s', async (_, change, pointer) => {
    expect([...new Set(await pointersOf({ ...GOOD, ...change }))]).toEqual([pointer])
  })
})

it('a relying party in test mode may use trust lists for test mode and for live mode', async () => {
  const settings = { name: 'Shop', anchor_sets: ['sandbox', 'eu_pid'] }
  expect(await pointersOf(settings)).toEqual([])
  expect(await pointersOf({ ...settings, livemode: true })).toEqual(['/anchor_sets/0'])
  const patched = await patchSchema(RULES, { livemode: true }).safeParseAsync({ anchor_sets: ['sandbox'] })
  expect(patched.success).toBe(false)
})

describe('http on loopback', () => {
  const local = {
    name: 'Shop',
    webhook: { url: 'http://127.0.0.1:9999/in' },
    return_urls: ['http://localhost:3000/done'],
    origins: ['http://localhost:3000'],
  }
  it('is accepted for test-mode relying parties if the service allows loopback', async () => {
    expect((await creationSchema(LOOPBACK_RULES).safeParseAsync(local)).success).toBe(true)
  })
  it('is refused for live relying parties', async () => {
    const pointers = ['/webhook/url', '/return_urls/0', '/origins/0']
    expect(await pointersOf({ ...local, livemode: true }, LOOPBACK_RULES)).toEqual(pointers)
    const patched = await patchSchema(LOOPBACK_RULES, { livemode: true }).safeParseAsync(local)
    expect(patched.error?.issues).toHaveLength(3)
  })
  it('is refused if the service does not allow loopback', async () => {
    expect(await pointersOf(local)).toHaveLength(3)
  })
})

describe('an added credential type', () => {
  it('is returned in the shape in which it was sent', async () => {
    const { credential_types } = await creationSchema(RULES).parseAsync(GOOD)
    const wire = credential_types.map(addedTypeToWire)
    const again = await creationSchema(RULES).parseAsync({ ...GOOD, credential_types: wire })
    expect(again.credential_types).toEqual(credential_types)
    expect(wire[0]).toMatchObject({
      type: 'employee_id',
      formats: { 'dc+sd-jwt': { meta: EMPLOYEE.formats['dc+sd-jwt'].meta } },
    })
  })

  const badge = (meta: unknown, path: readonly string[] = ['org.shop.badge', 'number']) => ({
    ...GOOD,
    credential_types: [{ type: 'badge', formats: { mso_mdoc: { meta, scopes: { number: path } } } }],
  })

  it('may have several document types, each with its own meta', async () => {
    const meta = [{ doctype_value: 'org.shop.badge.1' }, { doctype_value: 'org.shop.badge.2' }]
    const { credential_types } = await creationSchema(RULES).parseAsync(badge(meta))
    expect(credential_types[0]?.formats.mso_mdoc?.identifiers).toEqual([
      'org.shop.badge.1',
      'org.shop.badge.2',
    ])
    const shown = credential_types.map(addedTypeToWire)
    expect(shown).toMatchObject([{ formats: { mso_mdoc: { meta } } }])
    const again = await creationSchema(RULES).parseAsync({ ...GOOD, credential_types: shown })
    expect(again.credential_types).toEqual(credential_types)
  })

  it.each([
    [
      'several metas although one meta can name several types',
      'dc+sd-jwt',
      [{ vct_values: ['a'] }, { vct_values: ['b'] }],
    ],
    ['no meta at all', 'mso_mdoc', []],
    ['a meta of another format', 'mso_mdoc', [{ doctype_value: 'a' }, { vct_values: ['a'] }]],
    ['11 metas', 'mso_mdoc', Array.from({ length: 11 }, (_, i) => ({ doctype_value: `d${i}` }))],
  ])('is refused with %s', async (_, format, meta) => {
    const scopes = { number: ['org.shop.badge', 'number'] }
    const type = { type: 'badge', formats: { [format]: { meta, scopes } } }
    expect(await pointersOf({ ...GOOD, credential_types: [type] })).toEqual([
      `/credential_types/0/formats/${format}/meta`,
    ])
  })

  it('is refused when an mdoc path is not a namespace and an element (OpenID4VP 1.0 §7.2)', async () => {
    for (const path of [['number'], ['org.shop.badge', 'owner', 'name']]) {
      expect(await pointersOf(badge({ doctype_value: 'org.shop.badge.1' }, path))).toEqual([
        '/credential_types/0/formats/mso_mdoc/scopes/number',
      ])
    }
  })
})

describe('a change of settings', () => {
  it('may be empty', async () => {
    expect(await patchSchema(RULES, { livemode: false }).parseAsync({})).toEqual({})
  })
  it('may set optional members to null, and no other members', async () => {
    const nulls = { webhook: null, formats: null, claims_encryption_jwk: null, verifier: null }
    const removed = { ...nulls, reader_certificates: [], further_verifiers: [] }
    expect(await patchSchema(RULES, { livemode: false }).parseAsync(nulls)).toEqual(removed)
    for (const name of ['name', 'trust_anchors', 'by_value', 'return_urls', 'retention_seconds']) {
      const result = await patchSchema(RULES, { livemode: false }).safeParseAsync({ [name]: null })
      expect(result.error?.issues.map(({ path }) => path)).toEqual([[name]])
    }
  })
  it('does not reset a setting to its default', async () => {
    expect(Object.keys(await patchSchema(RULES, { livemode: false }).parseAsync({ by_value: true }))).toEqual(
      ['by_value'],
    )
  })
})

describe('a verifier certificate', () => {
  const AGE = { notBefore: new Date('2026-01-01'), notAfter: new Date('2027-01-01') }

  it('is accepted with its key, and the chain may include the authority that issued it', async () => {
    const root = await mintRoot()
    const intermediate = await mintIntermediate(root)
    const leaf = await mintLeaf(intermediate, AGE)
    expect(await chainPointers(leaf, [leaf])).toEqual([])
    expect(await chainPointers(leaf, [leaf, intermediate])).toEqual([])
  })

  it('is stored without the members that describe its key', async () => {
    const leaf = await mintLeaf(await mintRoot())
    const verifier = {
      signing_jwk: { ...jwkOf(leaf), kid: 'x', alg: 'ES256' },
      certificate_chain_pem: leaf.pem,
    }
    const input = await creationSchema(RULES).parseAsync({ name: 'Shop', verifier })
    expect(Object.keys(input.verifier?.signing_jwk ?? {})).toEqual(['kty', 'crv', 'x', 'y', 'd'])
  })

  const faulty: [string, CertificateOptions][] = [
    ['has expired', { notBefore: new Date('2025-01-01'), notAfter: new Date('2026-01-01') }],
    ['is not valid yet', { notBefore: new Date('2026-12-01'), notAfter: new Date('2027-12-01') }],
    ['is an authority', { ca: true, keyUsage: ['keyCertSign'] }],
  ]
  it.each(faulty)('is refused when it %s', async (_, change) => {
    const leaf = await mintLeaf(await mintRoot(), change)
    expect(await chainPointers(leaf, [leaf])).toEqual(['/verifier/certificate_chain_pem'])
  })

  it('is refused when it is self-signed, or comes with the root', async () => {
    const root = await mintRoot()
    const leaf = await mintLeaf(root)
    const selfSigned = await mintRoot({ ca: false, keyUsage: ['digitalSignature'] })
    expect(await chainPointers(selfSigned, [selfSigned])).toEqual(['/verifier/certificate_chain_pem'])
    expect(await chainPointers(leaf, [leaf, root])).toEqual(['/verifier/certificate_chain_pem'])
  })

  it('is refused if the chain is out of order or has an authority that did not issue it', async () => {
    const root = await mintRoot()
    const intermediate = await mintIntermediate(root)
    const stranger = await mintIntermediate(root)
    const leaf = await mintLeaf(intermediate)
    expect(await chainPointers(leaf, [intermediate, leaf])).toEqual(['/verifier/certificate_chain_pem'])
    expect(await chainPointers(leaf, [leaf, stranger])).toEqual(['/verifier/certificate_chain_pem'])
  })

  it('is refused if `signing_jwk` is the key of another certificate', async () => {
    const root = await mintRoot()
    const leaf = await mintLeaf(root)
    const other = await mintLeaf(root)
    expect(await chainPointers(other, [leaf])).toEqual(['/verifier/certificate_chain_pem'])
  })

  it('is refused with a private key that does not belong to its public key', async () => {
    const root = await mintRoot()
    const leaf = await mintLeaf(root)
    const other = await mintLeaf(root)
    const signing_jwk = { ...jwkOf(leaf), d: jwkOf(other).d }
    const verifier = { signing_jwk, certificate_chain_pem: leaf.pem }
    expect(await pointersOf({ name: 'Shop', verifier })).toEqual(['/verifier/signing_jwk'])
  })

  it.each(['', 'x', 'junk before'])(
    'is refused if its text is not only PEM certificates: %j',
    async (text) => {
      const leaf = await mintLeaf(await mintRoot())
      const pem = text === 'junk before' ? `junk\n${leaf.pem}` : text
      const verifier = { signing_jwk: jwkOf(leaf), certificate_chain_pem: pem }
      expect(await pointersOf({ name: 'Shop', verifier })).toEqual(['/verifier/certificate_chain_pem'])
    },
  )
})

function typeWith(change: Record<string, unknown>) {
  return { ...EMPLOYEE, formats: { 'dc+sd-jwt': { ...EMPLOYEE.formats['dc+sd-jwt'], ...change } } }
}

async function pointersOf(body: unknown, rules = RULES): Promise<string[]> {
  const result = await creationSchema(rules).safeParseAsync(body)
  return result.error?.issues.map(({ path }) => path.map((part) => `/${String(part)}`).join('')) ?? []
}

function chainPointers(key: Minted, chain: readonly Minted[]): Promise<string[]> {
  const certificate_chain_pem = chain.map(({ pem }) => pem).join('\n')
  return pointersOf({ name: 'Shop', verifier: { signing_jwk: jwkOf(key), certificate_chain_pem } })
}

function jwkOf({ privateJwk: { kty, crv, x, y, d } }: Minted) {
  return { kty, crv, x, y, d }
}
