// The verifier's identity in signed requests (OpenID4VP 1.0 §5.9.3), and reader certificates.

import * as z from 'zod/mini'
import { encodeBase64 } from '../../../src/codec/base64url.ts'
import { describeIssue } from '../../../src/codec/schema.ts'
import type { Reader } from '../../../src/iso18013-7/reader-auth.ts'
import { x509HashClientId, x509SanDnsClientId } from '../../../src/openid4vp/request/client-identifier.ts'
import type { VerifierIdentity } from '../../../src/openid4vp/request/generation.ts'
import {
  certificateChainPem,
  chainError,
  namesHost,
  signingJwk,
} from '../../../src/relying-party/verifier/verifier-certificate.ts'
import { anchorCertificates } from '../../../src/trust/x509/pem-certificates.ts'
import { faultsOf, inputError } from './faults.ts'
import { InputError } from './input-error.ts'

const signer = { signing_jwk: signingJwk, certificate_chain_pem: certificateChainPem }
const reader = z.strictObject(signer)
const verifier = z.strictObject({
  ...signer,
  client_id_prefix: z._default(z.enum(['x509_hash', 'x509_san_dns']), 'x509_hash'),
})

/** Extended key usage of a reader certificate (ISO/IEC 18013-5 Annex B.1.7). */
const READER_AUTHENTICATION = '1.0.18013.5.1.6'

/**
 * Returns the identity of a verifier. `address`: the Response URI or the origin, whose host the certificate
 * must name with `x509_san_dns`. `now`: Unix seconds. Throws an `InputError`.
 */
export async function identityOf(
  value: unknown,
  {
    address,
    prefixes,
    now,
  }: { readonly address: string; readonly prefixes: readonly string[]; readonly now: number },
): Promise<VerifierIdentity> {
  const { client_id_prefix, ...pair } = await checkSigner(verifier, value, '/verifier', now)
  if (!prefixes.includes(client_id_prefix))
    throw inputError(
      '/verifier/client_id_prefix',
      'must be one that the protocol supports',
      'not_in_protocol',
    )
  const [leaf, ...others] = anchorCertificates(pair.certificate_chain_pem).map(({ encoded }) => encoded)
  if (leaf === undefined) throw new Error('a checked chain has no certificate')
  const clientId =
    client_id_prefix === 'x509_hash' ? await x509HashClientId(leaf) : dnsClientId(pair, address)
  const proof = { x5c: [leaf, ...others].map((der) => encodeBase64(der)) }
  return { clientId, proof, signingJwk: pair.signing_jwk }
}

/** Returns the readers that sign a request of `org-iso-mdoc`. Throws an `InputError`. */
export function readersOf(values: readonly unknown[], now: number): Promise<readonly Reader[]> {
  return Promise.all(
    values.map(async (value, i) => {
      const pair = await checkSigner(reader, value, `/readers/${i}`, now, [READER_AUTHENTICATION])
      const [leaf, ...others] = anchorCertificates(pair.certificate_chain_pem).map(({ encoded }) => encoded)
      if (leaf === undefined) throw new Error('a checked chain has no certificate')
      return { signingJwk: pair.signing_jwk, chain: [leaf, ...others] as const }
    }),
  )
}

async function checkSigner<T extends z.infer<typeof reader>>(
  schema: z.ZodMiniType<T>,
  value: unknown,
  pointer: string,
  now: number,
  usages?: readonly string[],
): Promise<T> {
  const parsed = await schema.safeParseAsync(value, { error: describeIssue })
  if (!parsed.success) throw new InputError(faultsOf(parsed.error, pointer))
  const error = await chainError(parsed.data, { now: now * 1000 }, usages)
  if (error !== undefined) throw inputError(`${pointer}/certificate_chain_pem`, error)
  return parsed.data
}

function dnsClientId({ certificate_chain_pem }: z.infer<typeof reader>, address: string): string {
  const { hostname, origin } = new URL(address)
  const clientId = namesHost(certificate_chain_pem, hostname) ? x509SanDnsClientId(origin) : undefined
  if (clientId !== undefined) return clientId
  throw inputError('/verifier/certificate_chain_pem', 'must name the host of responseUri or origin')
}
