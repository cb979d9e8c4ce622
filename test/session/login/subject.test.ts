// The pairwise `sub` of a login (api/logins): the same for one person, and for nobody else.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Decision, Policy } from '../../../src/policy/policy.ts'
import type { ProvenClaim } from '../../../src/session/tokens/released-claims.ts'
import { deriveSubject } from '../../../src/session/tokens/subject.ts'

const KEY = new Uint8Array(32).fill(7)
const PERSON = { personal_administrative_number: 'DE-12', document_number: '3' }

type Login = {
  readonly names?: readonly string[]
  readonly relyingPartyId?: string
  readonly key?: Uint8Array<ArrayBuffer>
  /** Issuer of every credential, or of each one. */
  readonly issuer?: string | null | readonly string[]
  /** Claims of each credential. */
  readonly credentials?: readonly Readonly<Record<string, unknown>>[]
  /** Query of each credential. By default each has its own. */
  readonly query?: string
  /** Indexes of credentials whose query waives the proof of the holder. */
  readonly open?: readonly number[]
}

async function subOf(login: Login = {}): Promise<string | undefined> {
  return (await subjectFrom(login))?.sub
}

function subjectFrom({
  names = Object.keys(PERSON),
  relyingPartyId = 'rp_1',
  key = KEY,
  issuer = 'https://issuer.example',
  credentials = [PERSON],
  query,
  open = [],
}: Login): ReturnType<typeof deriveSubject> {
  const decision = {
    credentials: credentials.map((_, i) => ({
      id: query ?? `c${i}`,
      issuer: Array.isArray(issuer) ? issuer[i] : issuer,
    })),
  }
  const policy = {
    query: {
      credentials: credentials.map((_, i) => ({
        id: query ?? `c${i}`,
        ...(open.includes(i) && { require_cryptographic_holder_binding: false }),
      })),
    },
  }
  const proven = credentials.flatMap((claims, credential) =>
    Object.entries(claims).map(([name, value]) => ({
      credential,
      query: query ?? `c${credential}`,
      name,
      isBoolean: false,
      value,
    })),
  )
  return deriveSubject(
    { type: 'pairwise', claims: names },
    {
      decision: decision as unknown as Decision,
      policy: policy as unknown as Policy,
      proven: proven as readonly ProvenClaim[],
      relyingPartyId,
      key,
    },
  )
}

it('the subject is an HMAC of the relying party, the issuer and the claims, each with its length', async () => {
  const texts = ['rp_1', 'https://issuer.example', 'document_number', '3']
  const mac = createHmac('sha256', KEY)
  for (const text of [...texts, 'personal_administrative_number', 'DE-12']) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(text))
    mac.update(length).update(text)
  }
  expect(await subOf()).toBe(mac.digest('base64url'))
})

it.each<[string, Login]>([
  ['the issuer of the credential', { issuer: 'https://other.example' }],
  ['the relying party', { relyingPartyId: 'rp_2' }],
  ['the key', { key: new Uint8Array(32).fill(8) }],
  ['a value', { credentials: [{ ...PERSON, document_number: '4' }] }],
  [
    'the place of a value',
    { credentials: [{ personal_administrative_number: 'DE-1', document_number: '23' }] },
  ],
  ['the number of claims', { names: ['document_number'] }],
])('the subject changes if %s differs', async (_, changes) => {
  expect(await subOf(changes)).toMatch(/^[\w-]{43}$/)
  expect(await subOf(changes)).not.toBe(await subOf())
})

describe('there is no subject', () => {
  const { personal_administrative_number, document_number } = PERSON

  it.each<[string, Login]>([
    ['a claim is missing', { credentials: [{ document_number }] }],
    ['a claim is empty', { credentials: [{ ...PERSON, document_number: '' }] }],
    ['a claim is no text', { credentials: [{ ...PERSON, document_number: 3 }] }],
    [
      'two credentials have one claim each',
      { credentials: [{ personal_administrative_number }, { document_number }] },
    ],
    ['the issuer is unknown', { issuer: null }],
    ['holder binding is not required', { open: [0] }],
  ])('if %s', async (_, changes) => {
    expect(await subOf(changes)).toBeUndefined()
  })
})

describe('the subject from two credentials of one query', () => {
  const issuer = ['https://a.example', 'https://b.example']
  const { personal_administrative_number, document_number } = PERSON
  const OF_B = { issuer: 'https://b.example' }

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['has no claim', {}],
    ['lacks a claim', { document_number }],
    ['has an empty claim', { ...PERSON, personal_administrative_number: '' }],
    ['has a claim that is no text', { ...PERSON, personal_administrative_number: 12 }],
  ])('comes from the second credential if the first %s', async (_, first) => {
    const login = { query: 'pid', issuer, credentials: [first, PERSON] }
    expect(await subjectFrom(login)).toEqual({ sub: await subOf(OF_B), credential: 1 })
  })

  it('comes from the first credential if both are complete', async () => {
    const second = { ...PERSON, document_number: '4' }
    const login = { query: 'pid', issuer, credentials: [PERSON, second] }
    const sub = await subOf({ issuer: 'https://a.example' })
    expect(await subjectFrom(login)).toEqual({ sub, credential: 0 })
  })

  it('is missing if each credential has one of the claims', async () => {
    const credentials = [{ personal_administrative_number }, { document_number }]
    expect(await subjectFrom({ query: 'pid', issuer, credentials })).toBeUndefined()
  })
})
