// Lists made by node:zlib and signed by jose, and published lists.

import { gzipSync } from 'node:zlib'
import { generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/codec/json.ts'
import { checkBitstringStatus } from '../../../src/trust/status/bitstring-status-list.ts'
import type { StatusContext } from '../../../src/trust/status/status-context.ts'
import vectors from '../../vectors/bitstring-status-list.json' with { type: 'json' }
import { NOW, SHARED } from '../fixtures.ts'
import { context, ISSUER, jwksAnchor, keys, URI, web, word } from './status-fixtures.ts'

const SIZE = 16_384
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

/** A list with these entries set. */
function encode(set: readonly number[] = [], bytes = SIZE): string {
  const bits = Buffer.alloc(bytes)
  for (const index of set) bits.writeUInt8(bits.readUInt8(index >> 3) | (0x80 >> (index & 7)), index >> 3)
  return `u${gzipSync(bits).toString('base64url')}`
}

const entry = {
  id: `${URI}#94567`,
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: '94567',
  statusListCredential: URI,
}

const subject = { type: 'BitstringStatusList', statusPurpose: 'revocation', encodedList: encode([94_567]) }
const listCredential = {
  id: URI,
  type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  issuer: ISSUER,
  validFrom: iso(NOW - 100),
  credentialSubject: subject,
}

type Making = {
  readonly subject?: object
  readonly credential?: object
  readonly claims?: object
  readonly header?: object
  readonly key?: CryptoKey
  readonly encoding?: 'vc+jwt' | 'JWT'
}

/** The list as a JWT, in VC-JOSE-COSE or in VCDM 1.1 encoding. */
function make({ encoding = 'vc+jwt', key = keys.privateKey, ...changes }: Making = {}): Promise<string> {
  const credential = {
    ...listCredential,
    credentialSubject: { ...subject, ...changes.subject },
    ...changes.credential,
  }
  const payload = encoding === 'JWT' ? { iss: ISSUER, vc: credential } : credential
  return new SignJWT({ ...payload, ...changes.claims } as never)
    .setProtectedHeader({ alg: 'ES256', typ: encoding, ...changes.header })
    .sign(key)
}

async function statusOf(
  making: Making = {},
  credentialStatus: Json = entry,
  changes: Partial<StatusContext> = {},
): Promise<string> {
  const jwt = await make(making)
  const { fetchResource } = web(async () => jwt)
  return word(await checkBitstringStatus(credentialStatus, context({ fetchResource, ...changes })))
}

describe('an entry of a bitstring status list', () => {
  it.each([
    ['that is set', '94567', 'invalid'],
    ['before the set entry', '94566', 'valid'],
    ['after the set entry', '94568', 'valid'],
    [
      'whose bit would be set in the opposite bit order',
      String(94_567 - (94_567 % 8) + 7 - (94_567 % 8)),
      'valid',
    ],
    ['that is the first', '0', 'valid'],
    ['that is the last', '131071', 'valid'],
    ['after the last', '131072', 'index_out_of_range'],
  ])('%s (index %s) gives the result %s', async (_, statusListIndex, status) => {
    expect(await statusOf({}, { ...entry, statusListIndex })).toBe(status)
  })

  it('gives the published results: only index 4000 of the second published list is invalid', async () => {
    const at = (encodedList: string, statusListIndex: string) =>
      statusOf({ subject: { encodedList } }, { ...entry, statusListIndex })
    expect(await at(vectors.unset, '94567')).toBe('valid')
    expect(await at(vectors.set_4000, '4000')).toBe('invalid')
    for (const index of ['3999', '4001', '4007']) expect(await at(vectors.set_4000, index)).toBe('valid')
  })

  it('suspends the credential if the purpose of the entry is suspension', async () => {
    const making = { subject: { statusPurpose: ['revocation', 'suspension'] } }
    expect(await statusOf(making, { ...entry, statusPurpose: 'suspension' })).toBe('suspended')
    expect(await statusOf(making, entry)).toBe('invalid')
  })

  it('may be in a StatusList2021, whose encodedList has no multibase prefix', async () => {
    const making = {
      credential: {
        type: ['VerifiableCredential', 'StatusList2021Credential'],
        credentialSubject: { ...subject, type: 'StatusList2021', encodedList: encode([94_567]).slice(1) },
      },
    }
    expect(await statusOf(making, { ...entry, type: 'StatusList2021Entry' })).toBe('invalid')
  })

  it('may be in a list that is encoded as a VCDM 1.1 JWT', async () => {
    expect(await statusOf({ encoding: 'JWT' })).toBe('invalid')
    expect(await statusOf({ encoding: 'JWT', header: { typ: undefined } })).toBe('invalid')
  })

  it.each<[string, object | string | number | null]>([
    ['of another type', { ...entry, type: 'CredentialStatusList2017' }],
    ['with the purpose message', { ...entry, statusPurpose: 'message' }],
    ['without a purpose', { ...entry, statusPurpose: undefined }],
    ['with a statusSize of 2', { ...entry, statusSize: 2 }],
    ['with an index that is a number', { ...entry, statusListIndex: 94_567 }],
    ['with a negative index', { ...entry, statusListIndex: '-1' }],
    ['with a leading zero in its index', { ...entry, statusListIndex: '094567' }],
    ['with an index of 16 digits', { ...entry, statusListIndex: '9'.repeat(16) }],
    ['without an address', { ...entry, statusListCredential: undefined }],
    ['with an address that is too long', { ...entry, statusListCredential: `${URI}${'x'.repeat(2048)}` }],
    ['that is a text', 'valid'],
    ['that is null', null],
    ['in an empty array', []],
    ['beside an empty entry', [entry, {}]],
    ['in an array of five entries', new Array(5).fill(entry)],
  ])('%s has an unknown status, and nothing is fetched', async (_, credentialStatus) => {
    const { fetchResource, asked } = web(() => make())
    const status = JSON.parse(JSON.stringify(credentialStatus)) as Json
    expect(word(await checkBitstringStatus(status, context({ fetchResource })))).toBe('unsupported_mechanism')
    expect(asked).toEqual([])
  })
})

describe('several status entries of one credential', () => {
  const other = { ...entry, statusPurpose: 'suspension', statusListIndex: '5' }
  const both = { subject: { statusPurpose: ['revocation', 'suspension'], encodedList: encode([5, 7]) } }

  it.each<[string, string, string, string]>([
    ['valid if no entry is set', '1', '2', 'valid'],
    ['revoked if only the revocation entry is set', '5', '2', 'invalid'],
    ['suspended if only the suspension entry is set', '1', '7', 'suspended'],
    ['revoked if both entries are set', '5', '7', 'invalid'],
    ['revoked even if the suspension entry cannot be checked', '5', '999999', 'invalid'],
    ['suspended even if the revocation entry cannot be checked', '999999', '7', 'suspended'],
    [
      'unknown if the suspension entry cannot be checked and the revocation entry is not set',
      '1',
      '999999',
      'index_out_of_range',
    ],
  ])('give the combined status: %s', async (_, revocation, suspension, status) => {
    const entries = [
      { ...entry, statusListIndex: revocation },
      { ...other, statusListIndex: suspension },
    ]
    expect(await statusOf(both, entries)).toBe(status)
  })
})

describe('a bitstring status list', () => {
  const stranger = generateKeyPair('ES256')

  it.each<[string, Making, string]>([
    ['if its id is another address', { credential: { id: `${URI}/2` } }, 'another_list'],
    ['if it has another purpose', { subject: { statusPurpose: 'suspension' } }, 'another_list'],
    ['if it has no purpose', { subject: { statusPurpose: undefined } }, 'another_list'],
    [
      'if it has fewer entries than the minimum',
      { subject: { encodedList: encode([], SIZE - 1) } },
      'malformed_list',
    ],
    ['if it has no entries', { subject: { encodedList: encode([], 0) } }, 'malformed_list'],
    ['if its encodedList is no gzip', { subject: { encodedList: 'uAAAA' } }, 'malformed_list'],
    [
      'if its gzip data is cut off',
      { subject: { encodedList: encode([94_567]).slice(0, -20) } },
      'malformed_list',
    ],
    ['if it inflates beyond the limit', { subject: { encodedList: encode([], 8_388_609) } }, 'too_large'],
    [
      'if its encodedList has another multibase prefix',
      { subject: { encodedList: `z${encode().slice(1)}` } },
      'invalid_claim',
    ],
    ['if its encodedList is padded', { subject: { encodedList: `${encode()}=` } }, 'invalid_claim'],
    ['if it has no encodedList', { subject: { encodedList: undefined } }, 'invalid_claim'],
    ['if its subject has another type', { subject: { type: 'StatusList2021' } }, 'invalid_claim'],
    [
      'if its credential has another type',
      { credential: { type: ['VerifiableCredential'] } },
      'invalid_claim',
    ],
    ['if its ttl is a text', { subject: { ttl: '1' } }, 'invalid_claim'],
    ['if its validFrom is no time', { credential: { validFrom: 'yesterday' } }, 'invalid_claim'],
    ['if its iss and its issuer differ', { claims: { iss: 'https://other.example' } }, 'invalid_claim'],
    ['if its validUntil has passed', { credential: { validUntil: iso(NOW) } }, 'expired'],
    ['if its exp has passed', { claims: { exp: NOW } }, 'expired'],
    ['if its validFrom is in the future', { credential: { validFrom: iso(NOW + 61) } }, 'not_yet_valid'],
    ['if its typ is statuslist+jwt', { header: { typ: 'statuslist+jwt' } }, 'wrong_token_type'],
    [
      'if it has both the VCDM 1.1 and the VCDM 2.0 encoding',
      { claims: { vc: listCredential } },
      'malformed_token',
    ],
    [
      'if it has neither the VCDM 1.1 nor the VCDM 2.0 encoding',
      { header: { typ: 'JWT' } },
      'malformed_token',
    ],
    ['if its kid is no text', { header: { kid: 1 } }, 'malformed_token'],
    ['if its issuer has no anchor', { credential: { issuer: 'https://other.example' } }, 'untrusted_signer'],
  ])('is rejected %s', async (_, making, cause) => {
    expect(await statusOf(making)).toBe(cause)
  })

  it('is rejected if another key signed it', async () => {
    expect(await statusOf({ key: (await stranger).privateKey })).toBe('invalid_signature')
  })

  it('is rejected if its issuer has an anchor for another type only', async () => {
    const anchors = [jwksAnchor({ credential_types: ['mdl'] })]
    expect(await statusOf({}, entry, { anchors })).toBe('untrusted_signer')
  })

  it('is accepted if an anchor for status lists trusts its issuer', async () => {
    const anchors = [jwksAnchor({ name: 'status', purpose: ['status'] })]
    expect(await statusOf({}, entry, { anchors, credentialAnchor: { ...SHARED, name: 'issuer' } })).toBe(
      'invalid',
    )
  })
})

describe('an accepted bitstring status list', () => {
  it('is fetched once for all callers until its ttl in milliseconds ends', async () => {
    const jwt = await make({ subject: { ttl: 60_000 } })
    const { fetchResource, asked } = web(async () => jwt)
    const at = (now: number) => checkBitstringStatus(entry, context({ fetchResource, now }))
    await Promise.all([at(NOW), at(NOW)])
    await at(NOW + 59)
    expect(asked.map(({ url }) => url)).toEqual([URI])
    await at(NOW + 61)
    expect(asked).toHaveLength(2)
  })
})
