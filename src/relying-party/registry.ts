// Creation, change and erasure of relying parties. Creation, erasure, and a change of the name or the
// certificate write to the relying party's object and to the directory. The order of the two writes keeps the
// relying party in the directory if the second write fails.

import type { Env } from '../env.ts'
import { err, type Result } from '../result.ts'
import { chainLifetime } from '../trust/x509/chain-lifetime.ts'
import type { Origin } from './audit/actor.ts'
import { directoryStub } from './directory.ts'
import { relyingPartyStub, toRelyingPartyId } from './document/identifier.ts'
import type { SettingsInput, SettingsPatch, SettingsView } from './document/settings.ts'
import { forgetSettings } from './settings/settings-cache.ts'
import { readerLifetimes } from './verifier/reader-certificate.ts'

/** Creates a relying party. `now` is Unix milliseconds. Throws if an object cannot be reached. */
export async function createRelyingParty(env: Env, input: SettingsInput, now: number, by?: Origin) {
  const id = env.RELYING_PARTY.newUniqueId()
  const { name, livemode } = input
  // The directory entry is written first. An entry without an object can be seen and erased. An object
  // without an entry could not be found.
  const relying_party_id = toRelyingPartyId(id)
  await directoryStub(env).add({ relying_party_id, name, livemode, created_at: now })
  await noteCertificate(env, relying_party_id, input)
  const created = await env.RELYING_PARTY.get(id).create(input, now, by)
  if (!created.ok) throw new Error('a new relying party object was not empty')
  return created.value
}

/**
 * Changes settings. A new name or certificate is also written to the directory. `key_missing`: the patch
 * leaves out the private key of a certificate, but another change has removed this certificate meanwhile.
 */
export async function updateRelyingParty(
  env: Env,
  relyingPartyId: string,
  patch: SettingsPatch,
  by?: Origin,
): Promise<Result<SettingsView, 'not_found' | 'key_missing'>> {
  const stub = relyingPartyStub(env, relyingPartyId)
  if (stub === undefined) return err('not_found')
  const updated = await stub.update(patch, by)
  forgetSettings(relyingPartyId)
  if (updated.ok && patch.name !== undefined) await directoryStub(env).rename(relyingPartyId, patch.name)
  if (updated.ok && patch.verifier !== undefined) await noteCertificate(env, relyingPartyId, updated.value)
  return updated
}

/** Erases a relying party with its keys and secrets. Returns false if no object and no entry existed. */
export async function eraseRelyingParty(env: Env, relyingPartyId: string): Promise<boolean> {
  const stub = relyingPartyStub(env, relyingPartyId)
  if (stub === undefined) return false
  const existed = await stub.erase()
  forgetSettings(relyingPartyId)
  return (await directoryStub(env).remove(relyingPartyId)) || existed
}

type CertificateSettings = Pick<SettingsView, 'verifier'> &
  Partial<Pick<SettingsView, 'reader_certificates' | 'further_verifiers'>>

/** Stores in the directory the lifetime of the relying party's certificate that expires first. */
async function noteCertificate(
  env: Env,
  relyingPartyId: string,
  { verifier, reader_certificates = [], further_verifiers = [] }: CertificateSettings,
): Promise<void> {
  const identities = [...(verifier ? [verifier] : []), ...further_verifiers]
  const lifetimes = [
    ...identities.flatMap(({ certificate_chain_pem }) => chainLifetime(certificate_chain_pem) ?? []),
    ...readerLifetimes(reader_certificates),
  ]
  const [first = null] = lifetimes.toSorted((a, b) => a.expiresAt - b.expiresAt)
  await directoryStub(env).noteCertificate(relyingPartyId, first)
}
