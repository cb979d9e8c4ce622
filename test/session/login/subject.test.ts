// The pairwise `sub` of a login (api/logins): the same for one person, and for nobody else.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Decision, Policy } from '../../../src/policy/policy.ts'
import type { ProvenClaim } from '../../../src/session/tokens/released-claims.ts'
import { deriveSubject } from '../../../src/session/tokens/subject.ts'

const KEY = new Uint8Array(32).fill(7)
const NAMESPACE = 'issuer:https://issuer.example'
const PERSON = { personal_administrative_number: 'DE-12', document_number: '3' }

type Login = {
  readonly names?: readonly string[]
  readonly relyingPartyId?: string
  readonly key?: Uint8Array<ArrayBuffer>
  /** Subject namespace of every credential, or of each one. */
  readonly namespace?: string | readonly string[]
  readonly type?: string
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
  namespace = NAMESPACE,
  type = 'pid',
  credentials = [PERSON],
  query,
  open = [],
}: Login): ReturnType<typeof deriveSubject> {
  const decision = {
    credentials: credentials.map((_, i) => ({
      id: query ?? `c${i}`,
      credential_type: type,
    })),
    subjectNamespaces: credentials.map((_, i) => (Array.isArray(namespace) ? namespace[i] : namespace)),
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

it('the subject is a version and an HMAC of version, relying party, namespace, type and claims', async () => {
  const texts = ['2', 'rp_1', NAMESPACE, 'pid', 'document_number', '3']
  const mac = createHmac('sha256', KEY)
  for (const text of [...texts, 'personal_administrative_number', 'DE-12']) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(text))
    mac.update(length).update(text)
  }
  expect(await subOf()).toBe(`2.${mac.digest('base64url')}`)
})

it.each<[string, Login]>([
  ['the subject namespace', { namespace: 'issuer:https://other.example' }],
  ['the credential type', { type: 'photo_id' }],
  ['the relying party', { relyingPartyId: 'rp_2' }],
  ['the key', { key: new Uint8Array(32).fill(8) }],
  ['a value', { credentials: [{ ...PERSON, document_number: '4' }] }],
  [
    'the place of a value',
    { credentials: [{ personal_administrative_number: 'DE-1', document_number: '23' }] },
  ],
  ['the number of claims', { names: ['document_number'] }],
])('the subject changes if %s differs', async (_, changes) => {
  expect(await subOf(changes)).toMatch(/^2\.[\w-]{43}$/)
  expect(await subOf(changes)).not.toBe(await subOf())
})

describe('a login has no subject (sub)', () => {
  const { personal_administrative_number, document_number } = PERSON

  it.each<[string, Login]>([
    ['a claim is missing', { credentials: [{ document_number }] }],
    ['a claim is empty', { credentials: [{ ...PERSON, document_number: '' }] }],
    ['a claim is no text', { credentials: [{ ...PERSON, document_number: 3 }] }],
    [
      'two credentials have one claim each',
      { credentials: [{ personal_administrative_number }, { document_number }] },
    ],
    ['holder binding is not required', { open: [0] }],
  ])('if %s', async (_, changes) => {
    expect(await subOf(changes)).toBeUndefined()
  })
})

describe('the subject from two credentials of one query', () => {
  const namespace = ['issuer:https://a.example', 'issuer:https://b.example']
  const { personal_administrative_number, document_number } = PERSON
  const OF_B = { namespace: 'issuer:https://b.example' }

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['has no claim', {}],
    ['lacks a claim', { document_number }],
    ['has an empty claim', { ...PERSON, personal_administrative_number: '' }],
    ['has a claim that is no text', { ...PERSON, personal_administrative_number: 12 }],
  ])('is made from the second credential if the first %s', async (_, first) => {
    const login = { query: 'pid', namespace, credentials: [first, PERSON] }
    expect(await subjectFrom(login)).toEqual({ sub: await subOf(OF_B), credential: 1 })
  })

  it('is made from the first credential if both are complete', async () => {
    const second = { ...PERSON, document_number: '4' }
    const login = { query: 'pid', namespace, credentials: [PERSON, second] }
    const sub = await subOf({ namespace: 'issuer:https://a.example' })
    expect(await subjectFrom(login)).toEqual({ sub, credential: 0 })
  })

  it('is missing if each credential has only one of the two needed claims', async () => {
    const credentials = [{ personal_administrative_number }, { document_number }]
    expect(await subjectFrom({ query: 'pid', namespace, credentials })).toBeUndefined()
  })
})
