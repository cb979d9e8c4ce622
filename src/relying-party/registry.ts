// Creating, renaming and erasing relying parties: each touches the relying party's object and the directory, in the order
// that leaves nothing invisible behind should the second step fail.

import type { Env } from '../env.ts'
import { err, type Result } from '../result.ts'
import { chainLifetime } from '../trust/x509/chain-lifetime.ts'
import { directoryOf } from './directory.ts'
import { relyingPartyIdOf, relyingPartyStub } from './identifier.ts'
import type { Created } from './relying-party.ts'
import type { SettingsInput, SettingsPatch, SettingsView } from './settings/settings.ts'
import { forgetSettings } from './settings/settings-cache.ts'

/** Creates a relying party. `now` is Unix milliseconds. Throws where an object cannot be reached. */
export async function createRelyingParty(env: Env, input: SettingsInput, now: number): Promise<Created> {
  const id = env.RELYING_PARTY.newUniqueId()
  const { name, livemode } = input
  // Listed first: a list entry without an object is seen and can be erased, an object without an entry could not.
  const relying_party_id = relyingPartyIdOf(id)
  await directoryOf(env).add({ relying_party_id, name, livemode, created_at: now })
  if (input.verifier !== null) await noteCertificate(env, relying_party_id, input.verifier)
  const created = await env.RELYING_PARTY.get(id).create(input, now)
  if (!created.ok) throw new Error('a new relying party object was not empty')
  return created.value
}

/** Changes settings, and with them what the directory says of the name and the certificate. */
export async function updateRelyingParty(
  env: Env,
  relyingPartyId: string,
  patch: SettingsPatch,
): Promise<Result<SettingsView, 'not_found'>> {
  const stub = relyingPartyStub(env, relyingPartyId)
  if (stub === undefined) return err('not_found')
  const updated = await stub.update(patch)
  forgetSettings(relyingPartyId)
  if (updated.ok && patch.name !== undefined) await directoryOf(env).rename(relyingPartyId, patch.name)
  if (updated.ok && patch.verifier !== undefined) await noteCertificate(env, relyingPartyId, patch.verifier)
  return updated
}

/** Erases a relying party with its keys and secrets. False where neither object nor directory knew it. */
export async function eraseRelyingParty(env: Env, relyingPartyId: string): Promise<boolean> {
  const stub = relyingPartyStub(env, relyingPartyId)
  if (stub === undefined) return false
  const existed = await stub.erase()
  forgetSettings(relyingPartyId)
  return (await directoryOf(env).remove(relyingPartyId)) || existed
}

async function noteCertificate(
  env: Env,
  relyingPartyId: string,
  verifier: SettingsInput['verifier'],
): Promise<void> {
  const lifetime = verifier && chainLifetime(verifier.certificate_chain_pem)
  await directoryOf(env).noteCertificate(relyingPartyId, lifetime)
}
