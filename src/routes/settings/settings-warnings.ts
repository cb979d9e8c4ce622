// Warnings about settings that are valid but do not work (api/settings).

import type { SettingsWarning } from '../../api/responses/settings.ts'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { FORMATS } from '../../formats/index.ts'
import { typeDefinitions } from '../../policy/catalogue.ts'
import type { CredentialTypeDefinition } from '../../policy/policy.ts'
import { canVouch } from '../../policy/vouching.ts'
import type { SettingsView } from '../../relying-party/document/settings.ts'
import { subscribedAnchors } from '../../relying-party/trust-lists/trust-lists.ts'
import { googleWalletWarnings } from '../../relying-party/verifier/google-wallet-warnings.ts'
import {
  type RegistrationWarning,
  registrationWarnings,
} from '../../relying-party/verifier/registration-warnings.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { readMessage } from '../edge/cloudflare.ts'

/** Returns the warnings about a relying party. */
export async function settingsWarnings(env: Env, view: SettingsView): Promise<readonly SettingsWarning[]> {
  const warnings: readonly RegistrationWarning[] = [
    ...(await loadTrustWarnings(env, view)),
    ...registrationWarnings(view, Date.now()),
    ...(await googleWalletWarnings(loadConfig(env), view)),
  ]
  return Promise.all(
    warnings.map(async ({ code, pointer, values }) => ({
      code,
      pointer,
      message: await readMessage(env.ASSETS, code, values),
    })),
  )
}

/**
 * Returns the warnings about missing trust anchors. Test mode has no such warning, because test mode has the
 * sandbox's anchors.
 */
async function loadTrustWarnings(env: Env, view: SettingsView): Promise<readonly RegistrationWarning[]> {
  if (!view.livemode) return []
  const lists = await subscribedAnchors(env, view, Date.now())
  return lists.incomplete ? [] : trustWarnings(view, [...view.trust_anchors, ...lists.anchors])
}

function trustWarnings(
  { credential_types }: Pick<SettingsView, 'credential_types'>,
  anchors: readonly TrustAnchor[],
): readonly RegistrationWarning[] {
  const definitions = typeDefinitions(credential_types)
  const vouching = { anchors, definitions, formats: FORMATS, signerProfile: () => ({}) }
  const isVouched = ({ name, formats }: CredentialTypeDefinition) =>
    Object.keys(formats).some((format) => canVouch(name, format, vouching))
  if (!definitions.some(isVouched)) return [{ code: 'no_trust_anchor', pointer: '/trust_anchors' }]
  return credential_types.flatMap((type, i) => {
    if (isVouched(type)) return []
    const values = { type: type.name }
    return [{ code: 'credential_type_without_trust_anchor', pointer: `/credential_types/${i}`, values }]
  })
}
