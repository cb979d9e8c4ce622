// Responses about relying parties and trust lists, as schemas (api/settings).

import * as z from 'zod/mini'
import {
  type EvidenceSettingsView,
  evidenceSettings,
  TIME_STAMPS,
} from '../../relying-party/document/evidence-settings.ts'
import {
  SCOPES,
  type Scope,
  STATUS_UNAVAILABLE,
  WEBHOOK_EVENT_TYPES,
} from '../../relying-party/document/settings.ts'
import { addedTransactionDataTypes } from '../../relying-party/settings/added-transaction-data-types.ts'
import { addedTypes, type addedTypeToWire, FORMAT_IDS } from '../../relying-party/settings/added-types.ts'
import { ASSURANCE_LEVELS, type TrustAnchor } from '../../trust/anchors/anchor.ts'
import { anchorShape } from '../../trust/anchors/parse-anchor.ts'
import { CERTIFICATE_REVOCATION } from '../../trust/revocation/certificate-revocation.ts'
import { eventId, jsonObject, keyId, list, maybe, relyingPartyId, time, typed } from './parts.ts'
import { testEvent } from './verifications.ts'

const texts = list(z.string())

/** An API key, without the key itself. */
export const apiKey = z.object({
  key_id: keyId,
  name: maybe(z.string()),
  scopes: list(z.enum(SCOPES)),
  created_at: time,
  expires_at: maybe(time),
  last_used_at: maybe(time),
})

export const apiKeyList = z.object({ api_keys: list(apiKey) })

/** A new key. Only this response contains the key. */
export const createdApiKey = z.extend(apiKey, { api_key: z.string() })

const mode = { relying_party_id: relyingPartyId, name: z.string(), livemode: z.boolean(), created_at: time }

/** Warning about settings that are valid but do not work. Values of `code` may be added within /v1. */
const settingsWarning = z.object({ code: z.string(), pointer: z.string(), message: z.string() })

const googleWalletShown = z.object({
  display_name: maybe(z.string()),
  logo_uri: maybe(z.string()),
  privacy_policy_uri: maybe(z.string()),
  rp_metadata_bytes: z.string(),
  rp_metadata_sha256: z.string(),
})

/** The setting `evidence`, without the secret key of the store. */
const evidenceShown = z.object({
  ...evidenceSettings.shape,
  time_stamp: z.enum(TIME_STAMPS),
  push: maybe(
    z.object({
      kind: z.string(), // no enumeration: values may be added within /v1
      endpoint: z.string(),
      region: z.string(),
      bucket: z.string(),
      prefix: z.string(),
      access_key_id: z.string(),
      retain_days: maybe(z.int()),
    }),
  ),
})

/** The leaf certificate of a chain, and the time in which the whole chain is valid. */
const certificate = z.object({
  subject: maybe(z.string()),
  dns_names: texts,
  valid_from: time,
  expires_at: time,
  sha256: z.string(),
})

/** Settings of a relying party, without secrets. */
export const relyingParty = z.object({
  ...mode,
  webhook: maybe(
    z.object({ url: z.string(), events: list(z.enum(WEBHOOK_EVENT_TYPES)), disabled: z.boolean() }),
  ),
  trust_anchors: list(typed<TrustAnchor>(anchorShape)),
  anchor_sets: texts,
  credential_types: typed<readonly ReturnType<typeof addedTypeToWire>[]>(addedTypes),
  transaction_data_types: addedTransactionDataTypes,
  formats: maybe(typed<readonly string[]>(z.array(z.enum(FORMAT_IDS)))),
  request_options: jsonObject,
  by_value: z.boolean(),
  status_unavailable: z.enum(STATUS_UNAVAILABLE),
  certificate_revocation: z.enum(CERTIFICATE_REVOCATION),
  enforce_registration: z.boolean(),
  eu_age_verification: z.boolean(),
  index: z.boolean(),
  google_wallet: maybe(googleWalletShown),
  return_urls: texts,
  origins: texts,
  privacy_policy_uri: maybe(z.string()),
  alternative_url: maybe(z.string()),
  values_retention_days: maybe(z.int()),
  branding: maybe(z.object({ color: maybe(z.string()), logo: maybe(z.string()) })),
  retention_seconds: z.int(),
  claims_encryption_jwk: maybe(jsonObject),
  evidence: maybe(typed<EvidenceSettingsView>(evidenceShown)),
  console_sign_in: maybe(
    z.object({
      issuer: z.string(),
      client_id: z.string(),
      roles_claim: z.string(),
      roles: typed<Readonly<Record<string, readonly Scope[]>>>(z.record(z.string(), z.array(z.enum(SCOPES)))),
    }),
  ),
  verifier: maybe(
    z.object({
      certificate_chain_pem: maybe(z.string()),
      certificate: maybe(certificate),
      root_certificate_pem: maybe(z.string()),
      attestation_jwt: maybe(z.string()),
      registration: maybe(jsonObject),
      uses: list(jsonObject),
      further: list(
        z.object({
          certificate_chain_pem: z.string(),
          certificate: maybe(certificate),
          registration: maybe(jsonObject),
          uses: list(jsonObject),
          google_wallet: maybe(googleWalletShown),
        }),
      ),
      reader_certificates: list(z.object({ certificate_chain_pem: z.string(), domains: texts })),
    }),
  ),
  api_keys: list(apiKey),
  warnings: list(settingsWarning),
})

/** A new relying party. Only this response contains the secrets. */
export const createdRelyingParty = z.extend(relyingParty, {
  api_key: z.string(),
  webhook_secret: z.string(),
})

export const relyingPartyPage = z.object({
  relying_parties: list(z.object({ ...mode, verifier_certificate_expires_at: maybe(time) })),
  next_cursor: maybe(z.string()),
})

/** A list of trusted issuers: its configuration and its state. */
export const trustList = z.object({
  name: z.string(),
  livemode: z.boolean(),
  kind: z.string(),
  url: z.exactOptional(z.string()),
  signers: z.exactOptional(list(jsonObject)),
  services: list(jsonObject),
  list_type: z.exactOptional(maybe(z.string())),
  territory: z.exactOptional(maybe(z.string())),
  schemes: z.exactOptional(z.string()),
  assurance_level: z.exactOptional(z.enum(ASSURANCE_LEVELS)),
  credential_types: z.exactOptional(texts),
  territories: z.exactOptional(z.union([z.literal('all'), texts])),
  oj_url: z.exactOptional(maybe(z.string())),
  refresh_seconds: z.exactOptional(z.int()),
  stale_after_seconds: z.exactOptional(z.int()),
  pem: z.exactOptional(z.string()),
  created_at: time,
  sequence: maybe(z.int()),
  issued_at: maybe(time),
  next_update: maybe(time),
  trust_as_of: maybe(time),
  usable_until: maybe(time),
  anchors: z.int(),
  left_out: z.int(),
  last_attempt: maybe(z.object({ at: time, fault: maybe(z.string()) })),
  lists: z.exactOptional(
    list(
      z.object({
        territory: z.string(),
        url: z.string(),
        sequence: maybe(z.int()),
        next_update: maybe(time),
        trust_as_of: maybe(time),
        anchors: z.int(),
        left_out: z.int(),
        fault: maybe(z.string()),
      }),
    ),
  ),
  pinned_signers_announced: z.exactOptional(maybe(z.boolean())),
  learned_signers: z.exactOptional(texts),
})

export const trustLists = z.object({
  trust_lists: list(z.object({ name: z.string(), livemode: z.boolean() })),
})

export const rotatedSecret = z.object({ webhook_secret: z.string(), previous_secret_expires_at: time })

export const webhookTest = z.object({
  event_id: eventId,
  event: testEvent,
  succeeded: z.boolean(),
  status: maybe(z.int()),
  error: maybe(z.string()),
  duration_ms: z.int(),
})

export type ApiKey = z.infer<typeof apiKey>
export type ApiKeyList = z.infer<typeof apiKeyList>
export type CreatedApiKey = z.infer<typeof createdApiKey>
export type CreatedRelyingParty = z.infer<typeof createdRelyingParty>
export type SettingsWarning = z.infer<typeof settingsWarning>
export type RelyingParty = z.infer<typeof relyingParty>
export type RelyingPartyPage = z.infer<typeof relyingPartyPage>
export type RotatedSecret = z.infer<typeof rotatedSecret>
export type TrustList = z.infer<typeof trustList>
export type TrustLists = z.infer<typeof trustLists>
export type WebhookTest = z.infer<typeof webhookTest>
