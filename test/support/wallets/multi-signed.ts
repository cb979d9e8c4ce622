// A strict reader of multi-signed requests (OpenID4VP 1.0 A.3.2.2, RFC 7515 §7.2.1), as wallets have it. It
// shares no code with the service: jose verifies, and node's own X.509 checks the chains.

import { X509Certificate } from 'node:crypto'
import { generalVerify, importX509 } from 'jose'
import { refuse, refuseUnless } from './fake-wallet.ts'
import { sha256 } from './holdings.ts'
import { isChained, type Payload } from './request-object.ts'

/** One signature of the request, and the identity that it is about. */
export type ReadIdentity = {
  readonly clientId: string
  readonly chain: readonly X509Certificate[]
  readonly verifierInfo: unknown
  /** Why the wallet ignores this identity; null if its signature and its Client Identifier are good. */
  readonly fault: (typeof FAULTS)[keyof typeof FAULTS] | null
}

const FAULTS = {
  clientId: 'a client_id is not the hash of its leaf',
  swapped: 'a signature is of another protected header',
  signature: 'a signature does not verify',
} as const

/** A request as a wallet reads it: all its identities, and the identity that the wallet uses. */
export type ReadRequest = {
  /** Parameters of the request, with the Client Identifier of the identity that the wallet uses. */
  readonly payload: Payload
  readonly used: ReadIdentity
  readonly identities: readonly ReadIdentity[]
}

/** Members about one identity. They are in a protected header only. */
const OF_IDENTITY = ['client_id', 'verifier_info']

/**
 * Reads `data` of a request. The wallet uses the first good identity under its authority (PEM), and ignores
 * the others, good or bad.
 */
export async function readMultiSigned(
  data: Readonly<Record<string, unknown>>,
  { origin, verifierCa }: { readonly origin: string; readonly verifierCa: string },
): Promise<ReadRequest> {
  refuseUnless(`${Object.keys(data)}` === 'payload,signatures', 'data is not a JWS with several signatures')
  const { payload: encoded, signatures } = data
  refuseUnless(typeof encoded === 'string', 'payload is not a text')
  refuseUnless(Array.isArray(signatures) && signatures.length > 0, 'signatures is not a list')
  const payload = parse(encoded)
  for (const name of OF_IDENTITY) refuseUnless(!(name in payload), `${name} is in the payload`)
  const identities: ReadIdentity[] = []
  for (const one of signatures) identities.push(await readSignature(encoded, one, signatures))
  const ids = identities.map(({ clientId }) => clientId)
  refuseUnless(new Set(ids).size === ids.length, 'a client_id occurs twice')
  const trusted = identities.filter(({ chain }) => isChained(chain, verifierCa))
  const used = trusted.find(({ fault }) => fault === null)
  if (used === undefined) return refuse(trusted[0]?.fault ?? 'no identity is one that the wallet trusts')
  const read = { ...payload, client_id: used.clientId } as unknown as Payload
  refuseUnless(read.expected_origins?.includes(origin) === true, 'expected_origins lacks the page')
  return { payload: read, used, identities }
}

type Entry = { readonly protected: string; readonly signature: string }

/** Reads one entry of `signatures`. Refuses an entry with another form. A bad signature is no other form. */
async function readSignature(payload: string, entry: unknown, all: readonly Entry[]): Promise<ReadIdentity> {
  const members = Object.keys(entry as object).sort()
  refuseUnless(`${members}` === 'protected,signature', 'a signature has an unprotected header')
  const one = entry as Entry
  const header = parse(one.protected)
  refuseUnless(header.typ === 'oauth-authz-req+jwt', 'a protected header has another typ')
  refuseUnless(header.alg === 'ES256', 'a protected header has another alg')
  refuseUnless(!('crit' in header), 'a protected header has critical members')
  const { client_id: clientId, x5c, verifier_info: verifierInfo } = header
  refuseUnless(typeof clientId === 'string', 'a protected header has no client_id')
  refuseUnless(Array.isArray(x5c) && x5c.length > 0, 'a protected header has no x5c')
  const chain = x5c.map((der: string) => new X509Certificate(Buffer.from(der, 'base64')))
  const [leaf] = chain
  const isOfLeaf = leaf !== undefined && clientId === `x509_hash:${sha256(leaf.raw)}`
  const key = await importX509(String(leaf), 'ES256')
  const isSignedBy = (signature: string) =>
    generalVerify({ payload, signatures: [{ ...one, signature }] }, key, { algorithms: ['ES256'] }).then(
      () => true,
      () => false,
    )
  const isSigned = await isSignedBy(one.signature)
  const isSwapped = (await Promise.all(all.map(({ signature }) => isSignedBy(signature)))).includes(true)
  const signatureFault = isSwapped ? FAULTS.swapped : FAULTS.signature
  const clientIdFault = isOfLeaf ? null : FAULTS.clientId
  return { clientId, chain, verifierInfo, fault: isSigned ? clientIdFault : signatureFault }
}

function parse(encoded: string): Readonly<Record<string, unknown>> {
  refuseUnless(/^[\w-]+$/.test(encoded), 'a part is not base64url')
  return JSON.parse(Buffer.from(encoded, 'base64url').toString())
}
