// Client Identifier Prefixes that a relying party can use, determined without building an identity for each
// prefix.

import type { Config } from '../../config.ts'
import {
  CLIENT_ID_PREFIXES,
  type ClientIdPrefix,
  x509SanDnsClientId,
} from '../../openid4vp/request/client-identifier.ts'
import { verifierDid } from '../../openid4vp/request/verifier-did.ts'
import type { Settings } from '../document/settings.ts'
import { namesHost } from './verifier-certificate.ts'
import { attestedIdentity } from './verifier-identity.ts'

/**
 * Returns the prefixes for which `verifierIdentity` succeeds. `redirect_uri` also requires the setting
 * `by_value`. `life`: the current time and the end of the session, in Unix seconds.
 */
export function usablePrefixes(
  config: Config,
  settings: Settings,
  life: { readonly now: number; readonly expiresAt: number },
): readonly ClientIdPrefix[] {
  const { baseUrl, verifier } = config
  const chain = settings.verifier?.certificate_chain_pem ?? verifier.certificateChainPem
  const isUsable: Readonly<Record<ClientIdPrefix, () => boolean>> = {
    x509_hash: () => true,
    x509_san_dns: () =>
      x509SanDnsClientId(baseUrl) !== undefined && namesHost(chain, new URL(baseUrl).hostname),
    decentralized_identifier: () => verifierDid(baseUrl, null) !== undefined,
    verifier_attestation: () => attestedIdentity(settings, life).ok,
    redirect_uri: () => settings.by_value,
  }
  return CLIENT_ID_PREFIXES.filter((prefix) => isUsable[prefix]())
}
