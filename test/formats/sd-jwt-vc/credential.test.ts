// The issuer-signed JWT: each case changes one thing in a good presentation and signs everything again.

import { describe, expect, it } from 'vitest'
import type { CheckId, PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { alter, makeKey, type Parts, presentSdJwtVc } from '../../support/people/issuer.ts'
import { expectRefusal } from '../contract.ts'
import {
  ANCHOR,
  EXPECTED,
  GOOD,
  HOLDER_KEY,
  ISSUER_KEY,
  issueGood,
  NOW,
  presentGood,
  STRANGER_KEY,
  verifyGood,
} from './good.ts'

type Alterable = Parts & { payload: Record<string, unknown>; header: Record<string, unknown> }
type Case = readonly [string, (parts: Alterable) => void, PresentationRefusal, CheckId]

const KEYS = { issuer: ISSUER_KEY, holder: HOLDER_KEY }

const header =
  (name: string, value: unknown) =>
  ({ header }: Alterable) => {
    header[name] = value
  }
const claim =
  (name: string, value: unknown) =>
  ({ payload }: Alterable) => {
    payload[name] = value
  }
/** Claims in JSON's own words: what JSON.stringify cannot say. */
const claimText = (text: string) => (parts: Parts & { payload: unknown }) => {
  parts.payload = `${JSON.stringify(parts.payload).slice(0, -1)},${text}}`
}
const headerText = (text: string) => (parts: Parts & { header: unknown }) => {
  parts.header = `${JSON.stringify(parts.header).slice(0, -1)},${text}}`
}

const unsupported = { reason: 'unsupported_algorithm' } as const
const critical = { reason: 'unsupported_critical_header' } as const
const wrongType = { reason: 'wrong_token_type' } as const
const malformed = { reason: 'malformed_credential' } as const
const chain = { reason: 'malformed_certificate_chain' } as const
const invalid = (name: string) => ({ reason: 'invalid_claim', claim: name }) as const

const CASES: readonly Case[] = [
  ['alg none', header('alg', 'none'), unsupported, 'structure'],
  ['alg HS256', header('alg', 'HS256'), unsupported, 'structure'],
  ['alg RS256', header('alg', 'RS256'), unsupported, 'structure'],
  ['alg in lower case', header('alg', 'es256'), unsupported, 'structure'],
  ['no alg', header('alg', undefined), unsupported, 'structure'],
  ['a critical extension', header('crit', ['exp']), critical, 'structure'],
  ['an empty crit', header('crit', []), critical, 'structure'],
  ['a b64 parameter', header('b64', true), critical, 'structure'],
  ['typ vc+sd-jwt of the drafts', header('typ', 'vc+sd-jwt'), wrongType, 'structure'],
  ['typ jwt', header('typ', 'JWT'), wrongType, 'structure'],
  ['typ kb+jwt', header('typ', 'kb+jwt'), wrongType, 'structure'],
  ['typ as a full media type', header('typ', 'application/dc+sd-jwt'), wrongType, 'structure'],
  ['typ in capitals', header('typ', 'DC+SD-JWT'), wrongType, 'structure'],
  ['typ in a list', header('typ', ['dc+sd-jwt']), wrongType, 'structure'],
  ['no typ', header('typ', undefined), wrongType, 'structure'],
  ['a header parameter named twice', headerText('"typ":"dc+sd-jwt"'), malformed, 'structure'],
  ['a claim named twice', claimText('"vct":"urn:eudi:pid:1"'), malformed, 'structure'],
  [
    'a claim named twice, once with an escape',
    claimText('"v\\u0063t":"urn:eudi:pid:1"'),
    malformed,
    'structure',
  ],
  ['a nested claim named twice', claimText('"x":{"a":1,"a":2}'), malformed, 'structure'],
  ['a payload that is a list', (parts) => Object.assign(parts, { payload: '[]' }), malformed, 'structure'],
  ['a payload that is not JSON', claimText('x'), malformed, 'structure'],
  [
    '33 levels of nesting',
    claimText(`"x":${'['.repeat(32)}${']'.repeat(32)}`),
    { reason: 'limit_exceeded' },
    'structure',
  ],
  ['no vct', claim('vct', undefined), invalid('vct'), 'type'],
  ['an empty vct', claim('vct', ''), invalid('vct'), 'type'],
  ['a list for vct', claim('vct', ['urn:eudi:pid:1']), invalid('vct'), 'type'],
  ['an unknown vct', claim('vct', 'urn:eudi:pid:1 '), { reason: 'unknown_credential_type' }, 'type'],
  ['vct in upper case', claim('vct', 'URN:eudi:pid:1'), { reason: 'unknown_credential_type' }, 'type'],
  [
    'the known type among aka_vcts only',
    ({ payload }) => Object.assign(payload, { vct: 'urn:other', aka_vcts: ['urn:eudi:pid:1'] }),
    { reason: 'unknown_credential_type' },
    'type',
  ],
  ['a number for iss', claim('iss', 1), invalid('iss'), 'issuer_trust'],
  ['null for iss', claim('iss', null), invalid('iss'), 'issuer_trust'],
  ['another iss', claim('iss', 'https://issuer.example/'), { reason: 'untrusted_issuer' }, 'issuer_trust'],
  ['no iss', claim('iss', undefined), { reason: 'untrusted_issuer' }, 'issuer_trust'],
  ['a number for kid', header('kid', 1), malformed, 'issuer_trust'],
  ['null for x5c', header('x5c', null), chain, 'issuer_trust'],
  ['an empty x5c', header('x5c', []), chain, 'issuer_trust'],
  ['a string for x5c', header('x5c', 'AAAA'), chain, 'issuer_trust'],
  ['a number in x5c', header('x5c', [1]), chain, 'issuer_trust'],
  ['an empty certificate', header('x5c', ['']), chain, 'issuer_trust'],
  ['a certificate in base64url', header('x5c', ['-_-_']), chain, 'issuer_trust'],
  ['a certificate without padding', header('x5c', ['AA']), chain, 'issuer_trust'],
  ['a certificate with a line break', header('x5c', ['AAAA\nAAAA']), chain, 'issuer_trust'],
  ['a certificate in PEM', header('x5c', ['-----BEGIN CERTIFICATE-----']), chain, 'issuer_trust'],
  ['exp as a string', claim('exp', String(NOW + 60)), invalid('exp'), 'validity'],
  ['null for exp', claim('exp', null), invalid('exp'), 'validity'],
  ['an infinite nbf', claimText('"nbf":-1e999'), invalid('nbf'), 'validity'],
  ['nbf as a date', claim('nbf', '2026-01-01'), invalid('nbf'), 'validity'],
  ['iat as a boolean', claim('iat', true), invalid('iat'), 'validity'],
  ['an aud that names another verifier', claim('aud', 'https://other.example'), invalid('aud'), 'validity'],
  ['an empty list as aud', claim('aud', []), invalid('aud'), 'validity'],
  ['an object as aud', claim('aud', { aud: EXPECTED.audience }), invalid('aud'), 'validity'],
  ...[null, {}, { status_list: { idx: 0 } }, false, 'valid'].map(
    (status): Case => [
      `status ${JSON.stringify(status)}`,
      claim('status', status),
      { reason: 'status_unavailable' },
      'status',
    ],
  ),
]

describe('a credential', () => {
  it.each(CASES)('a credential with %s is refused', async (_, change, refusal, check) => {
    expectRefusal(await verifyGood(await alter(GOOD, KEYS, change)), refusal, check)
  })

  it('a credential that was signed again without a change verifies', async () => {
    expect((await verifyGood(await alter(GOOD, KEYS, () => undefined))).result.ok).toBe(true)
  })

  it('a credential whose aud is or contains our client_id verifies', async () => {
    for (const aud of [EXPECTED.audience, ['https://other.example', EXPECTED.audience]]) {
      expect((await verifyGood(await alter(GOOD, KEYS, claim('aud', aud)))).result.ok).toBe(true)
    }
  })

  it('is never verified with keys or addresses from its own header', async () => {
    const stranger = await makeKey()
    const forged = await alter(GOOD, { ...KEYS, issuer: stranger }, ({ header }) => {
      Object.assign(header, {
        jwk: stranger.publicJwk,
        jku: 'https://evil.example/jwks',
        x5u: 'https://evil.example/x',
      })
    })
    expectRefusal(await verifyGood(forged), { reason: 'invalid_issuer_signature' }, 'issuer_signature')
  })

  it.each(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])(
    'a credential signed with %s verifies',
    async (alg) => {
      const issuer = { ...(await makeKey(alg === 'EdDSA' ? 'Ed25519' : alg)), alg }
      const presentation = await alter(GOOD, { ...KEYS, issuer }, header('alg', alg))
      // A stranger's key beside it: every key of the set is tried.
      const anchor = {
        ...ANCHOR,
        jwks: { keys: [STRANGER_KEY.publicJwk, ISSUER_KEY.publicJwk, issuer.publicJwk] },
      }
      expect((await verifyGood(presentation, { context: { anchors: [anchor] } })).result.ok).toBe(true)
    },
  )

  it('has the assurance level of the anchor whose key signed it, if its issuer has several anchors', async () => {
    const old = {
      ...ANCHOR,
      name: 'Old key',
      assurance_level: 'low',
      jwks: { keys: [STRANGER_KEY.publicJwk] },
    } as const
    const { result } = await verifyGood(GOOD, { context: { anchors: [old, ANCHOR] } })
    expect(result.ok && result.value.anchor).toEqual({ name: ANCHOR.name, assurance_level: 'high' })
    const { result: none } = await verifyGood(GOOD, { context: { anchors: [old] } })
    expect(none).toEqual({ ok: false, error: { reason: 'invalid_issuer_signature' } })
  })

  it('is refused if its key is on another curve than its alg requires', async () => {
    const p384 = await makeKey('ES384')
    const forged = await alter(GOOD, { ...KEYS, issuer: p384 }, () => undefined)
    expectRefusal(await verifyGood(forged), { reason: 'invalid_issuer_signature' }, 'issuer_signature')
  })

  it.each([
    ['exp', { exp: NOW - 59 }, { exp: NOW - 60 }, 'credential_expired'],
    ['nbf', { nbf: NOW + 60 }, { nbf: NOW + 61 }, 'credential_not_yet_valid'],
    ['iat', { iat: NOW + 60 }, { iat: NOW + 61 }, 'credential_not_yet_valid'],
  ])('has its claim `%s` checked with a tolerance of one minute', async (_, still, noMore, finding) => {
    const within = await verifyGood(await presentGood(await issueGood(still)))
    expect(within.result).toMatchObject({ ok: true, value: { reasons: [] } })
    const beyond = await verifyGood(await presentGood(await issueGood(noMore)))
    expect(beyond.result).toMatchObject({ ok: true, value: { reasons: [finding] } })
  })

  it('a credential whose exp is in the past and whose nbf is in the future has a reason for each', async () => {
    const verification = await verifyGood(
      await presentGood(await issueGood({ exp: NOW - 900, nbf: NOW + 900 })),
    )
    expect(verification.result).toMatchObject({
      ok: true,
      value: { reasons: ['credential_expired', 'credential_not_yet_valid'] },
    })
  })

  it('a credential without exp, nbf and iat is valid', async () => {
    const verification = await verifyGood(
      await presentGood(await issueGood({ exp: undefined, iat: undefined })),
    )
    expect(verification.result).toMatchObject({ ok: true, value: { reasons: [] } })
  })

  it('a credential without a KB-JWT is refused with status_unavailable if its `status` is empty and holder binding is waived', async () => {
    const { nonce, audience } = EXPECTED
    const unbound = await presentSdJwtVc(await issueGood({ status: {} }), { nonce, audience, iat: NOW })
    const verification = await verifyGood(unbound, { expected: { holderBinding: false } })
    expectRefusal(verification, { reason: 'status_unavailable' }, 'status')
  })
})
