import { calculateJwkThumbprint, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  buildDidDocument,
  deriveVerificationMethod,
  verifierDid,
} from '../../../src/openid4vp/request/verifier-did.ts'
import { type DidDocument, resolveDidWeb } from '../../support/certificates/verifier-key.ts'

/** The public key of RFC 7517 Appendix A.1, and the public key of RFC 7515 Appendix A.3. */
const KEYS = [
  {
    kty: 'EC',
    crv: 'P-256',
    x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
    y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  },
  {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
] as const
const [FIRST, SECOND] = KEYS

describe('the DID', () => {
  it.each([
    ['https://verifier.example', null, 'did:web:verifier.example'],
    ['https://verifier.example:8443', null, 'did:web:verifier.example%3A8443'],
    ['http://localhost:8787', null, 'did:web:localhost%3A8787'],
    ['https://verifier.example', 'a_b-c', 'did:web:verifier.example:rp:a_b-c'],
  ])(
    'the DID for the base URL %s and the relying party %s (null: the whole service) is %s',
    (baseUrl, relyingParty, did) => {
      expect(verifierDid(baseUrl, relyingParty)).toBe(did)
    },
  )

  it.each(['http://127.0.0.1:8787', 'http://[::1]:8787', 'https://192.0.2.1'])(
    'does not exist if the host is an IP address: %s',
    (baseUrl) => {
      expect(verifierDid(baseUrl, null)).toBeUndefined()
    },
  )

  it.each([
    [null, 'https://verifier.example:8443/.well-known/did.json'],
    ['a_b-c', 'https://verifier.example:8443/rp/a_b-c/did.json'],
  ])(
    'the DID for the relying party %s (null: the whole service) leads a resolver to %s',
    async (relyingParty, expected) => {
      const did = verifierDid('https://verifier.example:8443', relyingParty)!
      const asked: string[] = []
      await resolveDidWeb(did, async (url) => {
        asked.push(url)
        return Response.json(await buildDidDocument(did, KEYS))
      })
      expect(asked).toEqual([expected])
    },
  )
})

describe('the DID document', () => {
  const did = 'did:web:verifier.example'

  it('names each key by its thumbprint, allows it for authentication and assertion, and has no private key', async () => {
    const document = (await buildDidDocument(did, [{ ...FIRST, d: 'secret' } as never, SECOND])) as never
    const { id, verificationMethod, authentication, assertionMethod } = document as DidDocument
    const names = await Promise.all(KEYS.map(async (key) => `${did}#${await calculateJwkThumbprint(key)}`))
    expect([id, authentication, assertionMethod]).toEqual([did, names, names])
    expect(verificationMethod).toEqual(
      KEYS.map((publicKeyJwk, i) => {
        return { id: names[i], type: 'JsonWebKey2020', controller: did, publicKeyJwk }
      }),
    )
    await Promise.all(verificationMethod.map(({ publicKeyJwk }) => importJWK(publicKeyJwk, 'ES256')))
    expect(await deriveVerificationMethod(did, FIRST)).toBe(names[0])
  })

  it('lists a repeated key once', async () => {
    const { verificationMethod } = (await buildDidDocument(did, [
      FIRST,
      SECOND,
      FIRST,
    ])) as never as DidDocument
    expect(verificationMethod.map(({ publicKeyJwk }) => publicKeyJwk)).toEqual(KEYS)
  })
})
