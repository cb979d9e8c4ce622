// W3C credentials as JWTs (VCDM 1.1 §6.3.1): a VC JWT inside a VP JWT by the holder's did:jwk (OpenID4VP 1.0 B.1.3.1).

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { ISSUER } from '../issuer/identities.ts'
import { type Members, publicKey, signJwt } from '../issuer/sign.ts'
import { credentialStatus } from '../issuer/status.ts'
import { claimsFor } from './claims.ts'
import { changed } from './flaw.ts'
import { issuerOf, type Presenting, validityOf } from './presenting.ts'

/** Issues the credential and presents it. */
export async function presentJwtVc(presenting: Presenting): Promise<string> {
  const { flaw, request, prover, wanted, now } = presenting
  const did = didOf(presenting)
  const credential = await issue(did, presenting)
  if (flaw.unproven || !wanted.holderBinding) return credential
  const vp = { '@context': [CONTEXT], type: ['VerifiablePresentation'], verifiableCredential: [credential] }
  const claims = { iss: did, aud: request.clientId, nonce: request.nonce, iat: now, exp: now + 300, vp }
  return signJwt({ alg: 'ES256', typ: 'JWT', kid: `${did}#0` }, changed<Members>(claims, flaw.proof), prover)
}

const CONTEXT = 'https://www.w3.org/2018/credentials/v1'

async function issue(did: string, presenting: Presenting): Promise<string> {
  const { flaw, wanted } = presenting
  const { chain, key } = issuerOf(presenting)
  const { from, until } = validityOf(presenting)
  const { credentialSubject = {} } = changed<Members>(claimsFor(wanted.claims), flaw.person)
  const vc = {
    '@context': [CONTEXT],
    type: ['VerifiableCredential', flaw.type ?? wanted.type],
    credentialSubject,
    credentialStatus: credentialStatus(flaw.status ?? 'valid'),
  }
  const claims = { iss: ISSUER, sub: did, nbf: from, exp: until, vc }
  const header = { alg: 'ES256', typ: 'JWT', x5c: chain }
  return signJwt(changed<Members>(header, flaw.header), changed<Members>(claims, flaw.claims), key)
}

function didOf({ holder }: Presenting): string {
  return `did:jwk:${encodeBase64url(utf8(JSON.stringify(publicKey(holder))))}`
}
