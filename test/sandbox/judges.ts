// What others make of the sandbox's credentials: node:crypto reads the certificates, @sd-jwt/sd-jwt-vc, @owf/mdoc and jose verify.
// Each throws where it does not accept what it is given.

import { createHash, type JsonWebKey, verify, X509Certificate } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { decodeProtectedHeader, importJWK, importX509, type JWK, jwtVerify } from 'jose'
import { verifyMdocWithLibrary } from '../../bench/tasks/mdoc.ts'
import { statusList } from '../../src/sandbox/issuer/status.ts'
import root from '../../src/trust/anchors/sandbox-root.json' with { type: 'json' }

/** What a request said. */
export type Asked = { readonly audience: string; readonly nonce: string; readonly responseUri: string }

const now = () => Math.floor(Date.now() / 1000)

/** The key of a leaf that stands alone in `x5c` and was issued by the sandbox's root. */
function leafKey(jwt: string) {
  const [x5c = '', ...others] = decodeProtectedHeader(jwt).x5c ?? []
  const leaf = new X509Certificate(Buffer.from(x5c, 'base64'))
  const authority = new X509Certificate(root.x509_ca_pem)
  if (others.length > 0 || !leaf.checkIssued(authority) || !leaf.verify(authority.publicKey))
    throw new Error('not issued by the sandbox')
  return leaf
}

/** The claims of an SD-JWT VC whose issuer, status and key binding the library accepts. */
export async function judgeSdJwt(presentation: string, { audience, nonce }: Asked) {
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

/** Accepts an mdoc, or throws. */
export function judgeMdoc(presentation: string, asked: Asked): Promise<void> {
  const unused = { anchor: {} as never, signatures: 0, hashed: [] }
  return verifyMdocWithLibrary({ presentation, rootPem: root.x509_ca_pem, now: now(), ...asked, ...unused })
}

/** The credential in a VP JWT, both of whose signatures jose accepts. */
export async function judgeJwtVc(presentation: string, { audience, nonce }: Asked) {
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
