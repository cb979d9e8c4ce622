// The proof of possession: each refusal differs from the good presentation in one thing.

import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { err, ok } from '../../../src/result.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { didJwkOf } from '../../support/people/jwt-vc.ts'
import { ed25519Jwk, NEUTRAL_SIGNATURE, WEAK_ED25519 } from '../../support/weak-keys.ts'
import { expectRefusal } from '../contract.ts'
import {
  type Changes,
  EXPECTED,
  HOLDER,
  HOLDER_KEY,
  ISSUER_KEY,
  issue,
  NOW,
  present,
  presentOf,
  STRANGER,
  STRANGER_KEY,
  verifyGood,
  withHeader,
} from './good.ts'

describe('a weak Ed25519 key of the subject', () => {
  it.each(WEAK_ED25519.map((key) => [key.toString('hex'), key] as const))(
    'is refused as the holder key, because one signature is valid for every message: %s',
    async (_, key) => {
      const { did, kid } = didJwkOf({ publicJwk: ed25519Jwk(key) })
      const changes = { claims: { iss: did }, header: { kid } }
      const signed = withHeader(
        await presentOf({ claims: { sub: did } }, changes),
        { alg: 'EdDSA' },
        HOLDER_KEY,
      )
      const forged = signed.replace(/[^.]+$/, NEUTRAL_SIGNATURE.toString('base64url'))
      expectRefusal(await verifyGood(forged), { reason: 'holder_key_missing' }, 'holder_binding')
    },
  )
})

const CNF = { cnf: { jwk: HOLDER_KEY.publicJwk } }

describe('a presentation', () => {
  it.each<[string, Changes]>([
    ['with a fragment as its kid', { header: { kid: '#0' } }],
    ['without a kid', { header: { kid: undefined } }],
    ['that does not name its holder', { claims: { iss: undefined } }],
    ['that names its holder in vp', { claims: { iss: undefined }, content: { holder: HOLDER.did } }],
    ['that names its holder in iss and in vp', { content: { holder: { id: HOLDER.did } } }],
    ['without times', { claims: { iat: undefined, nbf: undefined, exp: undefined } }],
    ['whose single type is no array', { content: { type: 'VerifiablePresentation' } }],
    [
      'with the key of a stranger in its header',
      { header: { jwk: STRANGER_KEY.publicJwk, jku: 'https://x.example' } },
    ],
  ])('a presentation %s is accepted', async (_, changes) => {
    expect((await verifyGood(await presentOf({}, changes))).result).toMatchObject({
      ok: true,
      value: { holderBound: true },
    })
  })

  it.each<[string, Changes, PresentationRefusal]>([
    [
      'of another type',
      { content: { type: ['Presentation'] } },
      { reason: 'invalid_claim', claim: 'vp.type' },
    ],
    [
      'of VCDM 2.0',
      { content: { '@context': ['https://www.w3.org/ns/credentials/v2'] } },
      { reason: 'invalid_claim', claim: 'vp.@context' },
    ],
    ['with the typ of VC-JOSE-COSE', { header: { typ: 'vp+jwt' } }, { reason: 'wrong_token_type' }],
    ['that is a key binding JWT', { header: { typ: 'kb+jwt' } }, { reason: 'wrong_token_type' }],
    ['without vp', { claims: { vp: undefined } }, { reason: 'malformed_credential' }],
    [
      'with a credential beside vp',
      { claims: { verifiableCredential: [] } },
      { reason: 'malformed_credential' },
    ],
  ])('a presentation %s is refused', async (_, changes, refusal) => {
    expectRefusal(await verifyGood(await presentOf({}, changes)), refusal, 'structure')
  })

  it.each<[string, (vc: string) => unknown]>([
    ['no credential', () => []],
    ['two credentials', (vc) => [vc, vc]],
    ['a credential outside a list', (vc) => vc],
    ['a credential that is an object', () => [{ type: ['VerifiableCredential'] }]],
    ['no member verifiableCredential', () => undefined],
  ])('a presentation with %s is refused', async (_, credentials) => {
    const vc = await issue()
    const presentation = await present(vc, { content: { verifiableCredential: credentials(vc) } })
    expectRefusal(
      await verifyGood(presentation),
      { reason: 'invalid_claim', claim: 'vp.verifiableCredential' },
      'structure',
    )
  })

  it('is refused inside another presentation', async () => {
    const nested = await present(await presentOf({}))
    expectRefusal(await verifyGood(nested), { reason: 'malformed_credential' }, 'structure')
  })

  it.each<[string, Changes, PresentationRefusal['reason']]>([
    ['signed by a stranger', { key: STRANGER_KEY }, 'invalid_holder_signature'],
    [
      'signed by a stranger, with the stranger’s iss and kid',
      { key: STRANGER_KEY, claims: { iss: STRANGER.did }, header: { kid: STRANGER.kid } },
      'invalid_holder_signature',
    ],
    [
      'signed by a stranger, with the stranger’s kid',
      { key: STRANGER_KEY, header: { kid: STRANGER.kid } },
      'invalid_holder_signature',
    ],
    ['signed by the issuer', { key: ISSUER_KEY }, 'invalid_holder_signature'],
    ['with the iss of a stranger', { claims: { iss: STRANGER.did } }, 'invalid_holder_signature'],
    ['with a kid that its DID does not have', { header: { kid: '#1' } }, 'invalid_holder_signature'],
    [
      'with an iss and a holder that differ',
      { content: { holder: STRANGER.did } },
      'malformed_holder_binding',
    ],
    ['with a number as its iss', { claims: { iss: 1 } }, 'malformed_holder_binding'],
    ['with an empty iss', { claims: { iss: '' } }, 'malformed_holder_binding'],
    ['with null as its iss', { claims: { iss: null } }, 'malformed_holder_binding'],
    [
      'with an empty holder',
      { claims: { iss: undefined }, content: { holder: '' } },
      'malformed_holder_binding',
    ],
    ['with a number as its kid', { header: { kid: 1 } }, 'malformed_holder_binding'],
    ['with an iat that is no time', { claims: { iat: 'now' } }, 'malformed_holder_binding'],
    ['with an exp that is no time', { claims: { exp: 'never' } }, 'malformed_holder_binding'],
    ['with an nbf that is no time', { claims: { nbf: null } }, 'malformed_holder_binding'],
    [
      'with an iat before the request',
      { claims: { iat: NOW - 81, nbf: undefined } },
      'holder_binding_not_current',
    ],
    ['with an iat in the future', { claims: { iat: NOW + 301 } }, 'holder_binding_not_current'],
    ['with an exp that has passed', { claims: { exp: NOW - 60 } }, 'holder_binding_not_current'],
    ['with an nbf in the future', { claims: { nbf: NOW + 61 } }, 'holder_binding_not_current'],
  ])('%s is refused', async (_, changes, reason) => {
    expectRefusal(
      await verifyGood(await presentOf({}, changes)),
      { reason } as PresentationRefusal,
      'holder_binding',
    )
  })

  it.each<[string, Changes, PresentationRefusal['reason']]>([
    ['without a nonce', { claims: { nonce: undefined } }, 'nonce_mismatch'],
    ['with a nonce in a list', { claims: { nonce: [EXPECTED.nonce] } }, 'nonce_mismatch'],
    ['without an audience', { claims: { aud: undefined } }, 'audience_mismatch'],
    ['with a list of audiences', { claims: { aud: [EXPECTED.audience] } }, 'audience_mismatch'],
    [
      'for our client_id without its prefix',
      { claims: { aud: EXPECTED.audience.slice(10) } },
      'audience_mismatch',
    ],
  ])('%s is refused', async (_, changes, reason) => {
    const { result } = await verifyGood(await presentOf({}, changes))
    expect(result).toEqual({ ok: false, error: { reason } })
  })
})

describe('a credential that names its holder by a key (cnf)', () => {
  it('is bound to this key, even if its subject is no DID', async () => {
    const credential = { claims: { ...CNF, sub: 'urn:uuid:erika' } }
    const presentation = await presentOf(credential, {
      claims: { iss: undefined },
      header: { kid: undefined },
    })
    expect((await verifyGood(presentation)).result).toMatchObject({ ok: true, value: { holderBound: true } })
  })

  it('is refused if the presentation was signed with the key of its subject, not with the cnf key', async () => {
    const credential = { claims: { cnf: { jwk: STRANGER_KEY.publicJwk } } }
    expectRefusal(await verifyGood(await presentOf(credential)), { reason: 'invalid_holder_signature' })
  })

  it.each([
    { cnf: {} },
    { cnf: 'x' },
    { cnf: { kid: HOLDER.kid } },
    { cnf: { jwk: { kty: 'oct', k: 'AA' } } },
  ])('is refused with holder_key_missing if it has no valid key: %j', async (claims) => {
    expectRefusal(
      await verifyGood(await presentOf({ claims })),
      { reason: 'holder_key_missing' },
      'holder_binding',
    )
  })
})

describe('a credential that names its holder by a DID', () => {
  it.each(['urn:uuid:erika', 'https://erika.example', 'did:example:erika', 'did:key:z', undefined])(
    'is refused with holder_key_missing if its subject gives no key: %s',
    async (sub) => {
      const presentation = await presentOf({ claims: { sub } }, { claims: { iss: undefined } })
      expectRefusal(await verifyGood(presentation), { reason: 'holder_key_missing' }, 'holder_binding')
    },
  )

  it.each(['ES384', 'ES512', 'Ed25519', 'EdDSA'])(
    'may be bound to a did:jwk with a key for %s',
    async (alg) => {
      const key = await makeKey(alg)
      const did = `did:jwk:${Buffer.from(JSON.stringify(key.publicJwk)).toString('base64url')}`
      const presentation = await presentOf(
        { claims: { sub: did } },
        { key, claims: { iss: did }, header: { kid: `${did}#0` } },
      )
      expect((await verifyGood(presentation)).result).toMatchObject({
        ok: true,
        value: { holderBound: true },
      })
    },
  )

  const WEB = 'did:web:wallets.example:erika'
  const method = {
    id: `${WEB}#1`,
    type: 'JsonWebKey2020',
    controller: WEB,
    publicKeyJwk: HOLDER_KEY.publicJwk,
  }
  const byWeb = (credential: Changes = {}, presentation: Changes = {}) =>
    presentOf(
      { claims: { sub: WEB }, ...credential },
      { claims: { iss: WEB }, header: { kid: method.id }, ...presentation },
    )

  /** A web that has the holder's document, and the addresses it was asked for. */
  function web(relationship: string, fault?: 'unavailable') {
    const asked: string[] = []
    const document = { id: WEB, verificationMethod: [method], [relationship]: [method.id] }
    const fetchResource = async ({ url }: { readonly url: string }) => {
      asked.push(url)
      if (fault !== undefined) return err(fault)
      return ok({ body: utf8(JSON.stringify(document)), contentType: 'application/json' })
    }
    return { asked, context: { fetchResource } }
  }

  it('may name a did:web, whose document is fetched', async () => {
    const { asked, context } = web('authentication')
    expect((await verifyGood(await byWeb(), { context })).result).toMatchObject({
      ok: true,
      value: { holderBound: true },
    })
    expect(asked).toEqual(['https://wallets.example/erika/did.json'])
  })

  it.each<[string, Promise<string>, PresentationRefusal['reason']]>([
    [
      'a stranger issued the credential',
      byWeb({ claims: { sub: WEB }, key: STRANGER_KEY }),
      'invalid_issuer_signature',
    ],
    [
      'only the presentation names that DID',
      presentOf({}, { claims: { iss: WEB }, header: { kid: method.id } }),
      'invalid_holder_signature',
    ],
    [
      'the credential also names a key (cnf)',
      byWeb({ claims: { sub: WEB, ...CNF } }, { key: STRANGER_KEY }),
      'invalid_holder_signature',
    ],
    [
      'the presentation names another holder',
      byWeb({}, { claims: { iss: HOLDER.did } }),
      'invalid_holder_signature',
    ],
  ])('does not cause a fetch of the DID document if %s', async (_, presentation, reason) => {
    const { asked, context } = web('authentication')
    const { result } = await verifyGood(await presentation, { context })
    expect(result).toEqual({ ok: false, error: { reason } })
    expect(asked).toEqual([])
  })

  it('is refused if the DID document lists the key for assertionMethod only', async () => {
    const verification = await verifyGood(await byWeb(), { context: web('assertionMethod').context })
    expectRefusal(verification, { reason: 'invalid_holder_signature' }, 'holder_binding')
  })

  it('is refused with holder_key_unavailable if the DID document cannot be fetched', async () => {
    const verification = await verifyGood(await byWeb(), {
      context: web('authentication', 'unavailable').context,
    })
    expectRefusal(verification, { reason: 'holder_key_unavailable' }, 'holder_binding')
  })
})
