// ETSI TS 119 475 §5.2: certificates made with jose and cborg, which share no code with src/. Each case
// changes one thing of a good certificate.

import { encode, Tagged } from 'cborg'
import { generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../../src/formats/index.ts'
import { uncoveredClaims } from '../../../src/openid4vp/registration/coverage.ts'
import { parseRegistrationCertificate } from '../../../src/openid4vp/registration/registration-certificate.ts'

const { privateKey } = await generateKeyPair('ES256')

const PID = {
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claim: [{ path: ['age_equal_or_over', '18'] }, { path: ['address'] }, { path: ['nationalities', null] }],
}
const MDL = {
  format: 'mso_mdoc',
  meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
  claim: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
}
const CLAIMS = { sub: 'NTRNL-12345678', iat: 1_790_000_000, exp: 1_800_000_000, credentials: [PID, MDL] }

const jwt = (claims: object, typ = 'rc-wrp+jwt') =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', typ }).sign(privateKey)

type CwtChanges = {
  readonly header?: ReadonlyMap<number, unknown>
  readonly payload?: unknown
  readonly tag?: number
}

const HEADER = new Map<number, unknown>([
  [1, -7],
  [16, 'rc-wrp+cwt'],
])

function cwt(claims: unknown, { header = HEADER, payload, tag }: CwtChanges = {}): string {
  const parts = [
    encode(header),
    new Map(),
    payload === undefined ? encode(claims) : payload,
    new Uint8Array(64),
  ]
  const item = tag === undefined ? parts : new Tagged(tag, parts)
  return Buffer.from(encode(item)).toString('base64url')
}

const FORMS = [
  ['a JWT', (claims: object) => jwt(claims)],
  ['a CWT', async (claims: object) => cwt(claims)],
] as const

async function parse(text: string | Promise<string>) {
  const parsed = parseRegistrationCertificate(await text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

/** Returns the places that a query requests beyond the certificate. */
async function beyond(claims: object, ...credentials: readonly object[]) {
  const { credentials: registered } = await parse(jwt(claims))
  if (!registered.ok) throw new Error(registered.error)
  const query = { credentials: credentials.map((one, i) => ({ id: `q${i}`, ...one })) }
  return uncoveredClaims(registered.value, query as never, FORMATS).map(
    ({ query, claim }) => `${query}/${claim}`,
  )
}

const asking = (
  format: string,
  meta: object,
  ...paths: readonly (readonly (string | number | null)[])[]
) => ({
  format,
  meta,
  claims: paths.map((path) => ({ path })),
})

describe.each(FORMS)('%s', (_, make) => {
  it('is parsed', async () => {
    expect(await parse(make(CLAIMS))).toEqual({
      presenters: ['NTRNL-12345678'],
      expiresAt: 1_800_000_000,
      credentials: {
        ok: true,
        value: [
          { format: PID.format, meta: PID.meta, paths: PID.claim.map(({ path }) => path) },
          { format: MDL.format, meta: MDL.meta, paths: MDL.claim.map(({ path }) => path) },
        ],
      },
    })
  })

  it('a certificate without credentials registers nothing', async () => {
    expect((await parse(make({ ...CLAIMS, credentials: undefined }))).credentials).toEqual({
      ok: true,
      value: [],
    })
  })

  it.each([
    ['credentials that are no list', PID, 'credentials  must be an array'],
    [
      'a credential without a format',
      [{ ...PID, format: undefined }],
      'credentials /0/format must be a string',
    ],
    ['a credential without a type', [{ ...PID, meta: undefined }], 'credentials /0/meta does not fit'],
    ['a type that is a list', [{ ...PID, meta: ['urn:eudi:pid:1'] }], 'credentials /0/meta does not fit'],
    [
      'claims that are no list',
      [{ ...PID, claim: { path: ['a'] } }],
      'credentials /0/claim must be an array',
    ],
    [
      'an empty path',
      [MDL, { ...PID, claim: [{ path: [] }] }],
      'credentials /1/claim/0/path must have at least 1 items',
    ],
    [
      'a path with an object',
      [{ ...PID, claim: [{ path: [{}] }] }],
      'credentials /0/claim/0/path does not fit',
    ],
    ['a claim without a path', [{ ...PID, claim: [{}] }], 'credentials /0/claim/0/path does not fit'],
    [
      'both `claim` and `claims`',
      [{ ...PID, claims: PID.claim }],
      'credentials /0 must have `claim` or `claims`, not both',
    ],
    [
      'a list of claims under the name `Claim`',
      [MDL, { format: PID.format, meta: PID.meta, Claim: PID.claim }],
      'credentials /1 must have `claim`, or nothing beside `format` and `meta`',
    ],
  ])(
    'a certificate with %s gives an error in place of its list of credentials',
    async (_, credentials, error) => {
      expect((await parse(make({ ...CLAIMS, credentials }))).credentials).toEqual({ ok: false, error })
    },
  )

  it('a certificate with an exp that is no number gives an error', async () => {
    const { credentials, expiresAt } = await parse(make({ ...CLAIMS, exp: '1800000000' }))
    expect([credentials, expiresAt]).toEqual([{ ok: false, error: 'exp must be a number' }, undefined])
  })

  it.each([
    [
      'a subject of version 1.1.1',
      { sub: { legal_name: ['A'], id: [{ type: 'x', identifier: 'VATDE-1' }] } },
      ['VATDE-1'],
    ],
    ['an intermediary', { intermediary: { sub: 'LEIXG-2', sname: 'B' } }, ['LEIXG-2']],
    ['an intermediary of version 1.1.1', { act: { sub: { id: 'LEIXG-2', name: 'B' } } }, ['LEIXG-2']],
    ['an intermediary without an identifier', { intermediary: { sname: 'B' } }, []],
    ['no subject', { sub: undefined }, []],
    ['an empty subject', { sub: '' }, []],
    ['a number as its subject', { sub: 1 }, []],
  ])(
    'a certificate with %s gives the identifier of the party that sends the requests, if it contains one',
    async (_, change, presenters) => {
      expect((await parse(make({ ...CLAIMS, ...change }))).presenters).toEqual(presenters)
    },
  )
})

describe('a registration certificate', () => {
  it('may be a CWT with registered numbers as keys, and with the tags of COSE and CWT', async () => {
    const { sub, exp, credentials } = CLAIMS
    const numbered = new Map<unknown, unknown>([
      [2, sub],
      [4, exp],
      ['credentials', credentials],
    ])
    const expected = await parse(cwt(CLAIMS))
    expect(await parse(cwt(numbered))).toEqual(expected)
    expect(await parse(cwt(numbered, { tag: 18 }))).toEqual(expected)
    const tagged = encode(
      new Tagged(61, new Tagged(18, [encode(HEADER), new Map(), encode(numbered), new Uint8Array(64)])),
    )
    expect(await parse(Buffer.from(tagged).toString('base64url'))).toEqual(expected)
  })

  it.each([
    ['a CBOR tag other than 18', () => cwt(CLAIMS, { tag: 17 })],
    [
      'a claim that occurs as number and as name',
      () =>
        cwt(
          new Map<unknown, unknown>([
            [2, 'a'],
            ['sub', 'b'],
          ]),
        ),
    ],
    [
      'a claim with an unknown number',
      () =>
        cwt(
          new Map<unknown, unknown>([
            [2, 'a'],
            [99, 'b'],
          ]),
        ),
    ],
    ['a payload that is no map', () => cwt([CLAIMS])],
    ['a detached payload', () => cwt(CLAIMS, { payload: null })],
    ['a payload that is no CBOR', () => cwt(CLAIMS, { payload: Uint8Array.of(0xff) })],
    [
      'no protected header',
      () =>
        Buffer.from(encode([new Map(), new Map(), encode(CLAIMS), new Uint8Array(64)])).toString('base64url'),
    ],
    [
      'no signature',
      () => Buffer.from(encode([encode(HEADER), new Map(), encode(CLAIMS)])).toString('base64url'),
    ],
    ['bytes after its end', () => `${cwt(CLAIMS)}AAAA`],
    ['5,000 claims', () => cwt(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`c${i}`, 1])))],
    ['characters outside base64url', () => '*'],
  ])('is refused as malformed if it has %s', (_, make) => {
    expect(parseRegistrationCertificate(make())).toEqual({ ok: false, error: 'malformed' })
  })

  it('must have the typ `rc-wrp+jwt` as a JWT, and the typ `rc-wrp+cwt` as a CWT', async () => {
    const wrong = { ok: false, error: 'wrong_type' }
    expect(parseRegistrationCertificate(await jwt(CLAIMS, 'rc-wrp+cwt'))).toEqual(wrong)
    expect(parseRegistrationCertificate(await jwt(CLAIMS, 'rc-rp+jwt'))).toEqual(wrong)
    const header = new Map<number, unknown>([
      [1, -7],
      [16, 'rc-wrp+jwt'],
    ])
    expect(parseRegistrationCertificate(cwt(CLAIMS, { header }))).toEqual(wrong)
    expect(parseRegistrationCertificate(cwt(CLAIMS, { header: new Map([[1, -7]]) }))).toEqual(wrong)
  })
})

describe('a registration', () => {
  const sdJwt = asking.bind(null, 'dc+sd-jwt', PID.meta)
  const mdl = asking.bind(null, 'mso_mdoc', MDL.meta)

  it('covers the claim paths that it names, longer paths, and single elements of a named array', async () => {
    const asked = sdJwt(
      ['age_equal_or_over', '18'],
      ['address', 'locality'],
      ['nationalities', null],
      ['nationalities', 0],
    )
    expect(await beyond(CLAIMS, asked, mdl(['org.iso.18013.5.1', 'family_name']))).toEqual([])
  })

  it.each([
    ['a claim that it does not name', sdJwt(['birthdate'])],
    ['a whole object if it names only a part', sdJwt(['age_equal_or_over'])],
    ['a type that it does not name', asking('dc+sd-jwt', { vct_values: ['urn:other'] }, ['address'])],
    [
      'an unregistered type together with a registered type',
      asking('dc+sd-jwt', { vct_values: ['urn:eudi:pid:1', 'urn:other'] }, ['address']),
    ],
    [
      'a format that it does not name',
      asking('jwt_vc_json', { type_values: [['PersonIdentificationData']] }, ['address']),
    ],
    ['the type of another format', asking('mso_mdoc', { doctype_value: 'urn:eudi:pid:1' }, ['address'])],
    ['the same element name in another namespace', mdl(['org.iso.18013.5.1.aamva', 'family_name'])],
    ['a request without a type', asking('dc+sd-jwt', {}, ['address'])],
  ])('does not cover %s', async (_, asked) => {
    expect(await beyond(CLAIMS, asked)).toEqual(['0/0'])
  })

  it('covers all claims of a credential only if its entry has no list of claims', async () => {
    const whole = { format: 'dc+sd-jwt', meta: PID.meta }
    expect(await beyond(CLAIMS, whole)).toEqual(['0/null'])
    expect(await beyond({ ...CLAIMS, credentials: [whole] }, whole, sdJwt(['birthdate']))).toEqual([])
  })

  it('covers the claims of an entry even if the entry has an unknown member', async () => {
    const credentials = [{ ...PID, purpose: 'age' }]
    expect(await beyond({ ...CLAIMS, credentials }, sdJwt(['address'], ['birthdate']))).toEqual(['0/1'])
  })

  it('covers nothing if its entry has an empty list of claims', async () => {
    const credentials = [{ ...PID, claim: [] }]
    expect(await beyond({ ...CLAIMS, credentials }, sdJwt(['address']))).toEqual(['0/0'])
  })

  it('covers all elements of an array only if its path has null for all elements', async () => {
    const credentials = [{ ...PID, claim: [{ path: ['nationalities', 0] }] }]
    expect(
      await beyond({ ...CLAIMS, credentials }, sdJwt(['nationalities', 0], ['nationalities', null])),
    ).toEqual(['0/1'])
  })

  it('covers the same claims if the list of claims is called `claims` instead of `claim`', async () => {
    const { claim, ...rest } = PID
    const credentials = [{ ...rest, claims: claim }]
    expect(await beyond({ ...CLAIMS, credentials }, sdJwt(['address'], ['birthdate']))).toEqual(['0/1'])
  })

  it('with a text as a claim path (version 1.1.1) covers the claim of this name, but no element of an mdoc', async () => {
    const credentials = [
      { format: 'dc+sd-jwt', meta: 'urn:eudi:pid:1', claim: [{ path: 'address' }] },
      { format: 'mso_mdoc', meta: 'org.iso.18013.5.1.mDL', claim: [{ path: 'family_name' }] },
    ]
    const asked = [sdJwt(['address'], ['birthdate']), mdl(['org.iso.18013.5.1', 'family_name'])]
    expect(await beyond({ ...CLAIMS, credentials }, ...asked)).toEqual(['0/1', '1/0'])
  })
})
