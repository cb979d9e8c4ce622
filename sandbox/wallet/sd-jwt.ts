// SD-JWT VC with a Key Binding JWT for the request (RFC 9901, OpenID4VP 1.0 B.3). Each claim about the person
// is a disclosure.

import { encodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { digest, isHashName, sha256 } from '../../src/crypto/digest.ts'
import { ISSUER } from '../issuer/identities.ts'
import { type Members, publicKey, randomText, signJwt } from '../issuer/sign.ts'
import { statusReference } from '../issuer/status.ts'
import { claimsFor } from './claims.ts'
import { apply } from './mistake.ts'
import { issuanceOf, type PresentationContext } from './presentation.ts'
import { decodePart } from './request.ts'

/** Issues the credential and presents it. */
export async function presentSdJwt(context: PresentationContext): Promise<string> {
  const { mistake, requested } = context
  const { jwt, disclosures } = await issue(context)
  const sdJwt = [jwt, ...apply<readonly string[]>(disclosures, mistake.disclosures), ''].join('~')
  if (mistake.withoutProof || !requested.holderBinding) return sdJwt
  return sdJwt + (await bind(sdJwt, context))
}

/** Claims that are never selectively disclosed (SD-JWT VC §2.2.2.3). */
const CLEAR = new Set(['iss', 'iat', 'nbf', 'exp', 'cnf', 'vct', 'status'])

async function issue(context: PresentationContext) {
  const { mistake, requested, holderKey } = context
  const { chain, key, from, until } = issuanceOf(context)
  const person = apply<Members>(claimsFor(requested.claims), mistake.person)
  const disclosed = { ...person, ...mistake.disclosed }
  const disclosures = Object.entries(disclosed)
    .filter(([name]) => !CLEAR.has(name) || name in (mistake.disclosed ?? {}))
    .map((claim) => encodeBase64url(utf8(JSON.stringify([randomText(), ...claim]))))
  const digests = await Promise.all(disclosures.map(hashOf))
  const claims = {
    iss: ISSUER,
    iat: from,
    nbf: from,
    exp: until,
    vct: mistake.type ?? requested.type,
    cnf: { jwk: publicKey(holderKey) },
    status: { status_list: statusReference(mistake.status ?? 'valid', 'jwt') },
    _sd_alg: 'sha-256',
    ...(digests.length > 0 && { _sd: digests.toSorted() }),
  }
  const header = { alg: 'ES256', typ: requested.designation, x5c: chain }
  const jwt = await signJwt(
    apply<Members>(header, mistake.header),
    apply<Members>(claims, mistake.claims),
    key,
  )
  return { jwt, disclosures }
}

async function bind(
  sdJwt: string,
  { mistake, requested, request, proofKey, now }: PresentationContext,
): Promise<string> {
  const claims = {
    iat: now,
    aud: request.clientId,
    nonce: request.nonce,
    sd_hash: await hashOf(sdJwt),
    ...(await transactionHashes(request.transactionData, requested.id)),
  }
  return signJwt({ alg: 'ES256', typ: 'kb+jwt' }, apply<Members>(claims, mistake.proof), proofKey)
}

/** B.3.3.1: hashes of the transaction data for this credential, by the first offered algorithm. */
async function transactionHashes(texts: readonly string[], id: string): Promise<Members> {
  const all = texts.map((text) => ({ text, data: decodePart(text, 0) ?? {} }))
  const own = all.filter(({ data }) => listOf(data.credential_ids).includes(id))
  const [offered] = own.flatMap(({ data }) => listOf(data.transaction_data_hashes_alg))
  const name = offered !== undefined && isHashName(offered) ? offered : 'sha-256'
  if (own.length === 0) return {}
  const hashes = own.map(async ({ text }) => encodeBase64url(await digest(name, utf8(text))))
  return {
    transaction_data_hashes: await Promise.all(hashes),
    ...(offered !== undefined && { transaction_data_hashes_alg: name }),
  }
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

async function hashOf(text: string): Promise<string> {
  return encodeBase64url(await sha256(utf8(text)))
}
