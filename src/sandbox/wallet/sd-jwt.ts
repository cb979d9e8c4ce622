// SD-JWT VC: every claim of the person's a disclosure, and a Key Binding JWT for this request (RFC 9901, OpenID4VP 1.0 B.3).

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { digest, isHashName, sha256 } from '../../crypto/digest.ts'
import { ISSUER } from '../issuer/identities.ts'
import { type Members, publicKey, signJwt } from '../issuer/sign.ts'
import { statusReference } from '../issuer/status.ts'
import { claimsFor } from './claims.ts'
import { changed } from './flaw.ts'
import { partOf } from './jwt-parts.ts'
import { issuerOf, type Presenting, validityOf } from './presenting.ts'

/** Issues the credential and presents it. */
export async function presentSdJwt(presenting: Presenting): Promise<string> {
  const { flaw, wanted } = presenting
  const { jwt, disclosures } = await issue(presenting)
  const sdJwt = [jwt, ...changed<readonly string[]>(disclosures, flaw.disclosures), ''].join('~')
  if (flaw.unproven || !wanted.holderBinding) return sdJwt
  return sdJwt + (await bind(sdJwt, presenting))
}

/** Claims that stand in the clear (SD-JWT VC §2.2.2.3): asked for or not, they are always there. */
const CLEAR = new Set(['iss', 'iat', 'nbf', 'exp', 'cnf', 'vct', 'status'])

async function issue(presenting: Presenting) {
  const { flaw, wanted, holder } = presenting
  const { chain, key } = issuerOf(presenting)
  const { from, until } = validityOf(presenting)
  const person = changed<Members>(claimsFor(wanted.claims), flaw.person)
  const disclosed = { ...person, ...flaw.disclosed }
  const disclosures = Object.entries(disclosed)
    .filter(([name]) => !CLEAR.has(name) || name in (flaw.disclosed ?? {}))
    .map((claim) => encodeBase64url(utf8(JSON.stringify([salt(), ...claim]))))
  const digests = await Promise.all(disclosures.map(hashOf))
  const claims = {
    iss: ISSUER,
    iat: from,
    nbf: from,
    exp: until,
    vct: flaw.type ?? wanted.type,
    cnf: { jwk: publicKey(holder) },
    status: { status_list: statusReference(flaw.status ?? 'valid', 'jwt') },
    _sd_alg: 'sha-256',
    ...(digests.length > 0 && { _sd: digests.toSorted() }),
  }
  const header = { alg: 'ES256', typ: wanted.designation, x5c: chain }
  const jwt = await signJwt(changed<Members>(header, flaw.header), changed<Members>(claims, flaw.claims), key)
  return { jwt, disclosures }
}

async function bind(sdJwt: string, { flaw, wanted, request, prover, now }: Presenting): Promise<string> {
  const claims = {
    iat: now,
    aud: request.clientId,
    nonce: request.nonce,
    sd_hash: await hashOf(sdJwt),
    ...(await confirm(request.transactionData, wanted.id)),
  }
  return signJwt({ alg: 'ES256', typ: 'kb+jwt' }, changed<Members>(claims, flaw.proof), prover)
}

/** B.3.3.1: hashes of the texts that name this credential, by the first algorithm that is offered. */
async function confirm(texts: readonly string[], id: string): Promise<Members> {
  const asked = texts.map((text) => ({ text, data: partOf(text, 0) ?? {} }))
  const mine = asked.filter(({ data }) => listOf(data.credential_ids).includes(id))
  const [offered] = mine.flatMap(({ data }) => listOf(data.transaction_data_hashes_alg))
  const name = offered !== undefined && isHashName(offered) ? offered : 'sha-256'
  if (mine.length === 0) return {}
  const hashes = mine.map(async ({ text }) => encodeBase64url(await digest(name, utf8(text))))
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

function salt(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
