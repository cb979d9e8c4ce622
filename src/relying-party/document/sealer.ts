// Sealing of one relying party's secrets, before they are stored in its document.

import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, type Sealing, seal } from '../../crypto/seal.ts'
import type { Env } from '../../env.ts'
import { createSecretFrom } from '../../webhook/signature.ts'
import { replaceConsoleSignIn, sealConsoleSignIn } from './console-sign-in.ts'
import {
  newDocument,
  type RelyingPartyDocument,
  replaceWebhook,
  type SealedField,
  sealingFor,
} from './document.ts'
import { replaceEvidence, sealEvidenceSettings } from './evidence-settings.ts'
import type { ApiKeyRecord, Sent, SettingsInput, SettingsPatch, SigningIdentity } from './settings.ts'
import { keepKey, replaceIdentities, type Sealed } from './stored-keys.ts'

/** Returns the operations that seal secrets of this relying party. */
export function openSealer(env: Env, relyingPartyId: string) {
  let derived: Uint8Array<ArrayBuffer> | undefined
  const key = async (): Promise<Uint8Array<ArrayBuffer>> => {
    derived ??= await deriveKey(loadConfig(env).serverSecret, 'relying-party')
    return derived
  }
  const sealing = async (field: SealedField): Promise<Sealing> =>
    sealingFor({ relying_party_id: relyingPartyId }, await key(), field)
  const sealKey = async <One extends SentIdentity>(sent: One): Promise<Sealed<One>> => {
    const { signing_jwk, ...shown } = sent
    if (signing_jwk === undefined) return shown
    const text = JSON.stringify(signing_jwk)
    return { ...shown, sealed_signing_jwk: await seal(await sealing('verifier'), text, randomBytes(12)) }
  }
  const sealKeys = <One extends SentIdentity>(sent: readonly One[]) =>
    Promise.all(sent.map((one) => sealKey(one)))
  const sealSignIn = async (sent: SettingsInput['console_sign_in']) =>
    sent ? sealConsoleSignIn(sent, await sealing('console_sign_in')) : null
  const sealEvidence = async (sent: SettingsInput['evidence']) =>
    sent ? sealEvidenceSettings(sent, () => sealing('evidence_push')) : null
  const newWebhookSecret = async (): Promise<{ readonly secret: string; readonly sealed: string }> => {
    const secret = createSecretFrom(randomBytes(32))
    return { secret, sealed: await seal(await sealing('webhook_secret'), secret, randomBytes(12)) }
  }
  return {
    /** Returns the key under which the secrets are sealed. */
    key,
    newWebhookSecret,
    /** Returns the document of a new relying party, and its webhook secret. */
    newDocument: async (input: SettingsInput, created_at: number, firstKey: ApiKeyRecord) => {
      const webhook = await newWebhookSecret()
      const keep = keepKey([])
      const document = newDocument(input, {
        relying_party_id: relyingPartyId,
        created_at,
        webhook_secrets: [{ sealed: webhook.sealed, expires_at: null }],
        verifier: input.verifier && keep(await sealKey(input.verifier)),
        reader_certificates: (await sealKeys(input.reader_certificates ?? [])).map(keep),
        further_verifiers: (await sealKeys(input.further_verifiers ?? [])).map(keep),
        console_sign_in: replaceConsoleSignIn(null, await sealSignIn(input.console_sign_in)),
        evidence: replaceEvidence(null, await sealEvidence(input.evidence)),
        api_keys: [firstKey],
      })
      return { document, webhookSecret: webhook.secret }
    },
    /**
     * Seals the secrets in a patch of settings. Returns a function that applies the patch to a document. The
     * function throws if a private key is neither in the patch nor in the document (see `lacksKey`).
     */
    sealPatch: async (patch: SettingsPatch): Promise<Step> => {
      const { webhook, verifier, reader_certificates, further_verifiers, console_sign_in, ...rest } = patch
      const { evidence, ...members } = rest
      const sealed = verifier && (await sealKey(verifier))
      const readers = reader_certificates && (await sealKeys(reader_certificates))
      const further = further_verifiers && (await sealKeys(further_verifiers))
      const signIn = console_sign_in === undefined ? undefined : await sealSignIn(console_sign_in)
      const keeping = evidence === undefined ? undefined : await sealEvidence(evidence)
      const identities = { own: sealed, readers, further }
      return (document) => ({
        ...replaceIdentities(document, identities),
        ...members,
        ...(signIn !== undefined && {
          console_sign_in: replaceConsoleSignIn(document.console_sign_in ?? null, signIn),
        }),
        ...(keeping !== undefined && { evidence: replaceEvidence(document.evidence ?? null, keeping) }),
        ...(webhook === undefined ? {} : { webhook: replaceWebhook(document.webhook, webhook) }),
      })
    },
  }
}

type Step = (document: RelyingPartyDocument) => RelyingPartyDocument
type SentIdentity = Sent<Pick<SigningIdentity, 'signing_jwk'>>
