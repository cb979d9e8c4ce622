// No library verifies presentations of `jwt_vc_json`, so jose verifies both JWTs.

import type { JsonWebKey } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Asked } from './judge.ts'
import { expectCurrent, issuerKeys, jwkOfDid, keyOf, SKEW, verifyJws } from './trust.ts'

type Members = {
  readonly cnf?: { readonly jwk?: JsonWebKey }
  readonly vc?: {
    readonly type?: readonly string[]
    readonly issuer?: string | { readonly id?: string }
    readonly credentialSubject?: { readonly id?: string }
  }
}

/** Throws jose's error unless jose accepts the presentation. */
export async function judgeJwtVc(presentation: string, asked: Asked): Promise<void> {
  const { vp } = decodeJwt<{ vp?: { verifiableCredential?: readonly string[] } }>(presentation)
  if (vp === undefined) {
    if (asked.holderBinding) throw new Error('no presentation')
    await verifyCredential(presentation, asked)
    return
  }
  const [credential, ...others] = vp.verifiableCredential ?? []
  if (typeof credential !== 'string' || others.length > 0) throw new Error('not one credential')
  const { sub, cnf, vc } = await verifyCredential(credential, asked)
  const jwk = cnf?.jwk ?? jwkOfDid(sub ?? vc?.credentialSubject?.id)
  const options = { ...timesOf(asked), audience: asked.audience }
  const { payload } = await jwtVerify(presentation, keyOf(jwk), options)
  if (payload.nonce !== asked.nonce) throw new Error('the proof has another nonce')
  expectCurrent(payload, asked)
}

async function verifyCredential(jwt: string, asked: Asked): Promise<JWTPayload & Members> {
  const { iss, vc } = decodeJwt<Members>(jwt)
  if (vc === undefined) throw new Error('no credential')
  const issuer = iss ?? (typeof vc.issuer === 'object' ? vc.issuer.id : vc.issuer)
  const keys = issuerKeys(decodeProtectedHeader(jwt), issuer, asked.trusted([vc.type ?? []].flat()), asked)
  const key = await verifyJws(jwt, keys)
  return (await jwtVerify<Members>(jwt, key, timesOf(asked))).payload
}

function timesOf({ now }: Asked) {
  return { currentDate: new Date(now * 1000), clockTolerance: SKEW }
}
