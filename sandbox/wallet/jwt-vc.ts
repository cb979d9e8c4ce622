// W3C credentials as JWTs (VCDM 1.1 §6.3.1, OpenID4VP 1.0 B.1.3.1). A VP JWT of the holder's did:jwk contains
// the VC JWT.

import { encodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { ISSUER } from '../issuer/identities.ts'
import { type Members, publicKey, signJwt } from '../issuer/sign.ts'
import { credentialStatus } from '../issuer/status.ts'
import { claimsFor } from './claims.ts'
import { apply } from './mistake.ts'
import { issuanceOf, type PresentationContext } from './presentation.ts'

/** Issues the credential and presents it. */
export async function presentJwtVc(context: PresentationContext): Promise<string> {
  const { mistake, request, proofKey, requested, now } = context
  const did = didOf(context)
  const credential = await issue(did, context)
  if (mistake.withoutProof || !requested.holderBinding) return credential
  const vp = { '@context': [CONTEXT], type: ['VerifiablePresentation'], verifiableCredential: [credential] }
  const claims = { iss: did, aud: request.clientId, nonce: request.nonce, iat: now, exp: now + 300, vp }
  return signJwt(
    { alg: 'ES256', typ: 'JWT', kid: `${did}#0` },
    apply<Members>(claims, mistake.proof),
    proofKey,
  )
}

const CONTEXT = 'https://www.w3.org/2018/credentials/v1'

async function issue(did: string, context: PresentationContext): Promise<string> {
  const { mistake, requested } = context
  const { chain, key, from, until } = issuanceOf(context)
  const { credentialSubject = {} } = apply<Members>(claimsFor(requested.claims), mistake.person)
  const vc = {
    '@context': [CONTEXT],
    type: ['VerifiableCredential', mistake.type ?? requested.type],
    credentialSubject,
    credentialStatus: credentialStatus(mistake.status ?? 'valid'),
  }
  const claims = { iss: ISSUER, sub: did, nbf: from, exp: until, vc }
  const header = { alg: 'ES256', typ: 'JWT', x5c: chain }
  return signJwt(apply<Members>(header, mistake.header), apply<Members>(claims, mistake.claims), key)
}

function didOf({ holderKey }: PresentationContext): string {
  return `did:jwk:${encodeBase64url(utf8(JSON.stringify(publicKey(holderKey))))}`
}
