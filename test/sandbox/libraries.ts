// Verification of the sandbox's credentials by other projects: node:crypto, @sd-jwt/sd-jwt-vc, @owf/mdoc and
// jose. Each function throws for a refused credential.

import { createHash, type JsonWebKey, verify, X509Certificate } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { decodeProtectedHeader, importJWK, importX509, type JWK, jwtVerify } from 'jose'
import { verifyMdocWithLibrary } from '../../bench/tasks/mdoc.ts'
import { statusList } from '../../sandbox/issuer/status.ts'
import root from '../../src/trust/anchors/sandbox-root.json' with { type: 'json' }

/** Parameters of the request. */
export type RequestParameters = {
  readonly audience: string
  readonly nonce: string
  readonly responseUri: string
}

const now = () => Math.floor(Date.now() / 1000)

/** Returns the leaf of `x5c`. Throws unless it is alone and issued by the sandbox's root. */
function leafKey(jwt: string) {
  const [x5c = '', ...others] = decodeProtectedHeader(jwt).x5c ?? []
  const leaf = new X509Certificate(Buffer.from(x5c, 'base64'))
  const authority = new X509Certificate(root.x509_ca_pem)
  if (others.length > 0 || !leaf.checkIssued(authority) || !leaf.verify(authority.publicKey))
    throw new Error('not issued by the sandbox')
  return leaf
}

/** Returns the claims of an SD-JWT VC after the library verified issuer, status and key binding. */
export async function verifySdJwt(presentation: string, { audience, nonce }: RequestParameters) {
  const [issuerJwt = ''] = presentation.split('~')
  const check = (key: Parameters<typeof verify>[2]) => (data: string, signature: string) =>
    verify('sha256', Buffer.from(data), key, Buffer.from(signature, 'base64url'))
  const ieee = (key: JsonWebKey) => ({ key, format: 'jwk', dsaEncoding: 'ieee-p1363' }) as const
  const instance = new SDJwtVcInstance({
    hashAlg: 'sha-256',
    hasher: (data, alg) =>
      createHash(alg.replace('-', ''))
        .update(Buffer.from(data as string))
        .digest(),
    verifier: check({ key: leafKey(issuerJwt).publicKey, dsaEncoding: 'ieee-p1363' }),
    kbVerifier: (data, signature, payload) =>
      check(ieee((payload.cnf as { jwk: JsonWebKey }).jwk) as never)(data, signature),
    statusListFetcher: async (uri) => listText(uri),
  })
  const { payload, kb } = await instance.verify(presentation, { keyBindingNonce: nonce })
  if (kb?.payload.aud !== audience) throw new Error('another audience')
  return payload as Readonly<Record<string, unknown>>
}

async function listText(uri: string): Promise<string> {
  const list = await statusList(new URL(uri).pathname.replace('/status/', ''), now())
  if (list === undefined) throw new Error(`no list at ${uri}`)
  return list.text()
}

/** Verifies an mdoc. */
export function verifyMdoc(presentation: string, request: RequestParameters): Promise<void> {
  const unused = { anchor: {} as never, signatures: 0, hashed: [] }
  return verifyMdocWithLibrary({ presentation, rootPem: root.x509_ca_pem, now: now(), ...request, ...unused })
}

/** Returns the credential of a VP JWT after jose verified both signatures. */
export async function verifyJwtVc(presentation: string, { audience, nonce }: RequestParameters) {
  const { kid = '' } = decodeProtectedHeader(presentation)
  const jwk = JSON.parse(Buffer.from(kid.slice('did:jwk:'.length, -2), 'base64url').toString()) as JWK
  const outer = await jwtVerify(presentation, await importJWK(jwk, 'ES256'), { audience })
  const { vp, nonce: answered } = outer.payload as { vp: { verifiableCredential: string[] }; nonce: string }
  if (answered !== nonce) throw new Error('another nonce')
  const [credential = ''] = vp.verifiableCredential
  const key = await importX509(leafKey(credential).toString(), 'ES256')
  const { payload } = await jwtVerify(credential, key, { subject: kid.slice(0, -2) })
  return payload.vc as { readonly credentialSubject: unknown; readonly type: readonly string[] }
}
