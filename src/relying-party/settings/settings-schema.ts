// Schemas of the bodies that create or change a relying party (api/settings). The schemas reject unknown
// members, and every error has a pointer.

import * as z from 'zod/mini'
import { fromPointer } from '../../codec/json-pointer.ts'
import { ONE_LINE, text, unique, utcTime, WEB_ADDRESS, WEB_ORIGIN } from '../../codec/schema.ts'
import { displayInfo } from '../../config.ts'
import { TRUST_LIST } from '../../limits.ts'
import { LOOPBACK_HOSTS, OUTBOUND_URL } from '../../net/outbound-url.ts'
import { requestOptionsSchema } from '../../openid4vp/request/request-options.ts'
import { parseTrustAnchor } from '../../trust/anchors/parse-anchor.ts'
import { CERTIFICATE_REVOCATION } from '../../trust/revocation/certificate-revocation.ts'
import { branding } from '../document/branding.ts'
import { consoleSignIn } from '../document/console-sign-in.ts'
import { claimsEncryptionJwk } from '../document/encryption-jwk.ts'
import { evidenceSettings, RETAIN_DAYS } from '../document/evidence-settings.ts'
import { googleWallet } from '../document/google-wallet.ts'
import type { ApiKeyGrant, FurtherVerifier, TrustListEntry } from '../document/settings.ts'
import {
  DEFAULT_SCOPES,
  EVENT_TYPES,
  SCOPES,
  type SettingsInput,
  type SettingsPatch,
  type SettingsView,
  STATUS_UNAVAILABLE,
  WEBHOOK_EVENT_TYPES,
} from '../document/settings.ts'
import { identitiesOf } from '../document/stored-keys.ts'
import { type IdentityRules, namesHost, type StoredIdentity } from '../verifier/verifier-certificate.ts'
import { verifierSettings } from '../verifier/verifier-settings.ts'
import { addedTransactionDataTypes } from './added-transaction-data-types.ts'
import { addedTypes, FORMAT_IDS } from './added-types.ts'
import { checkConsoleSignIn, checkPush, checkUrl } from './outbound-settings.ts'

/** Limit of a settings body in bytes. */
export const SETTINGS_LIMIT = 128 * 1024

/** Values that the validation of settings depends on. `now` is Unix milliseconds. */
export type SettingsRules = {
  readonly now: number
  /** Origin of this service. A webhook must not point at it. */
  readonly baseUrl: string
  /** True if test-mode relying parties may use http on loopback. */
  readonly allowLoopback: boolean
  /** Port on which this process listens. A webhook must not call this port. */
  readonly listeningPort?: string | null
  /** The operator's trust lists. */
  readonly trustLists: readonly TrustListEntry[]
}

/**
 * Schema of the body of `POST /v1/admin/relying_parties`. Parse asynchronously: the schema tests key pairs.
 */
export function creationSchema(rules: SettingsRules): z.ZodMiniType<SettingsInput> {
  const body = z.extend(z.exactPartial(members(rules)), { name, livemode: z._default(z.boolean(), false) })
  return z.pipe(
    body.check(
      z.superRefine((input, context) => checkSettings(input, { livemode: input.livemode }, rules, context)),
    ),
    z.transform(
      ({ verifier, ...input }): SettingsInput => ({
        webhook: null,
        trust_anchors: [],
        anchor_sets: [],
        credential_types: [],
        transaction_data_types: [],
        formats: null,
        request_options: {},
        by_value: !input.livemode, // api/request: on in test mode, off in live mode
        status_unavailable: 'refuse',
        // docs/decisions/revocation.md has the reason for this default.
        certificate_revocation: input.livemode ? 'require' : 'off',
        enforce_registration: false,
        eu_age_verification: false,
        index: true,
        google_wallet: null,
        return_urls: [],
        origins: [],
        privacy_policy_uri: null,
        alternative_url: null,
        values_retention_days: null,
        branding: null,
        retention_seconds: 48 * HOUR,
        claims_encryption_jwk: null,
        console_sign_in: null,
        ...input,
        ...(verifier ?? NO_VERIFIER),
      }),
    ),
  )
}

/** Body of `PATCH`. A member that is sent replaces the whole old value. Null removes an optional member. */
export function patchSchema(rules: SettingsRules, current: CurrentSettings): z.ZodMiniType<SettingsPatch> {
  const fixed = z.never('cannot be changed: every API key carries the mode')
  const stored = identitiesOf<StoredIdentity>(current)
  const body = z.exactPartial(z.extend(members(rules, stored), { name, livemode: fixed }))
  return z.pipe(
    body.check(z.superRefine((patch, context) => checkSettings(patch, current, rules, context))),
    z.transform(
      ({ livemode: _, verifier, ...patch }): SettingsPatch =>
        verifier === undefined ? patch : { ...patch, ...(verifier ?? NO_VERIFIER) },
    ),
  )
}

const NO_VERIFIER = { verifier: null, reader_certificates: [], further_verifiers: [] }

/** Current settings, with which a patch must be compatible. */
type CurrentSettings = Pick<SettingsView, 'livemode'> &
  Partial<Pick<SettingsView, 'console_sign_in' | 'google_wallet' | 'evidence'>> & {
    readonly further_verifiers?: readonly Pick<FurtherVerifier, 'certificate_chain_pem' | 'google_wallet'>[]
    readonly reader_certificates?: SettingsView['reader_certificates']
  } & Identification

/**
 * Body of `POST …/api_keys`. `ceiling`: the scopes and the expiry of the calling key, which give the
 * defaults. The new key expires no later than the calling key.
 */
export function apiKeyGrantSchema(now: number, ceiling: ApiKeyGrant): z.ZodMiniType<ApiKeyGrant> {
  const inTime = z.refine<number | null>(
    (time) => ceiling.expires_at === null || (time !== null && time <= ceiling.expires_at),
    'must not be later than the expiry of the calling key',
  )
  const byDefault = ceiling.scopes.filter((scope) => DEFAULT_SCOPES.includes(scope))
  const future = z.refine<number>((time) => time > now, 'must be in the future')
  return z.strictObject({
    name: z._default(z.nullable(name), null),
    scopes: z._default(unique(z.enum(SCOPES), SCOPES.length).check(z.minLength(1)), byDefault),
    expires_at: z._default(z.nullable(expiry.check(future)), ceiling.expires_at).check(inTime),
  })
}

const expiry = z.pipe(
  utcTime,
  z.transform((text) => Date.parse(text)),
)

const HOUR = 3600
const DAY = 24 * HOUR

const name = text(100).check(
  z.refine(
    (text) => text.trim() === text && !/\p{C}/u.test(text),
    'must not contain control characters or outer spaces',
  ),
  z.meta({ pattern: ONE_LINE }),
)

function members(rules: SettingsRules, stored?: IdentityRules['stored']) {
  return z.strictObject({
    webhook: z.nullable(
      z.strictObject({
        url: text(2048).check(z.meta({ pattern: OUTBOUND_URL })),
        events: z._default(
          unique(z.enum(WEBHOOK_EVENT_TYPES), WEBHOOK_EVENT_TYPES.length).check(z.minLength(1)),
          [...EVENT_TYPES],
        ),
      }),
    ),
    trust_anchors: z.array(trustAnchor).check(z.maxLength(100)),
    anchor_sets: unique(text(64), TRUST_LIST.subscribed),
    credential_types: addedTypes,
    transaction_data_types: addedTransactionDataTypes,
    formats: z.nullable(unique(z.enum(FORMAT_IDS), FORMAT_IDS.length).check(z.minLength(1))),
    request_options: requestOptionsSchema,
    by_value: z.boolean(),
    status_unavailable: z.enum(STATUS_UNAVAILABLE),
    certificate_revocation: z.enum(CERTIFICATE_REVOCATION),
    enforce_registration: z.boolean(),
    eu_age_verification: z.boolean(),
    index: z.boolean(),
    google_wallet: z.nullable(googleWallet),
    return_urls: unique(url, 50),
    origins: unique(text(2048).check(z.meta({ pattern: WEB_ORIGIN })), 50),
    privacy_policy_uri: z.nullable(displayInfo.shape.privacy_policy_uri),
    alternative_url: z.nullable(url),
    values_retention_days: z.nullable(z.int().check(z.minimum(1), z.maximum(RETAIN_DAYS))),
    branding: z.nullable(branding),
    retention_seconds: z.int().check(z.minimum(HOUR), z.maximum(30 * DAY)),
    claims_encryption_jwk: z.nullable(claimsEncryptionJwk),
    evidence: z.nullable(evidenceSettings),
    console_sign_in: z.nullable(consoleSignIn),
    verifier: z.nullable(verifierSettings(rules.now, stored)),
  })
}

const url = text(2048).check(z.meta({ pattern: WEB_ADDRESS }))

export const trustAnchor = z.pipe(
  z.unknown(),
  z.transform((input, { issues }) => {
    const anchor = parseTrustAnchor(input)
    if (anchor.ok) return anchor.value
    for (const { pointer, message } of anchor.error) {
      issues.push({ code: 'custom', input, path: fromPointer(pointer), message })
    }
    return z.NEVER
  }),
)

type Identification = Partial<Pick<SettingsView, 'verifier' | 'request_options'>>

type SentIdentification = Pick<Identification, 'request_options'> & {
  readonly verifier?: Pick<SettingsInput, 'verifier' | 'further_verifiers'> | null
  readonly google_wallet?: SettingsInput['google_wallet']
}

type Addresses = Partial<
  Pick<
    SettingsInput,
    'anchor_sets' | 'webhook' | 'return_urls' | 'origins' | 'alternative_url' | 'console_sign_in' | 'evidence'
  >
>

function checkSettings(
  sent: Addresses & SentIdentification,
  current: CurrentSettings,
  rules: SettingsRules,
  context: z.core.$RefinementCtx,
): void {
  const { livemode } = current
  const allowLoopback = rules.allowLoopback && !livemode
  const refuse = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message })
  if (sent.webhook) checkUrl(sent.webhook.url, ['webhook', 'url'], { rules, livemode, refuse })
  sent.return_urls?.forEach((text, i) => {
    if (!isReturnUrl(text, allowLoopback)) refuse(['return_urls', i], 'must be an https URL without fragment')
  })
  if (sent.alternative_url && !isReturnUrl(sent.alternative_url, allowLoopback)) {
    refuse(['alternative_url'], 'must be an https URL without fragment')
  }
  sent.origins?.forEach((text, i) => {
    if (!isOrigin(text, allowLoopback)) refuse(['origins', i], 'must be an https origin, without a path')
  })
  checkConsoleSignIn(sent.console_sign_in, current.console_sign_in, { rules, livemode, refuse })
  checkPush(sent.evidence?.push, current.evidence?.push, { rules, livemode, refuse })
  checkPrefix(sent, current, rules, context)
  checkGoogleWallet(sent, current, refuse)
  sent.anchor_sets?.forEach((name, i) => {
    const list = rules.trustLists.find((entry) => entry.name === name)
    if (list === undefined) refuse(['anchor_sets', i], 'must be the name of a trust list of this service')
    // A list for test mode must not have an effect on a live relying party.
    else if (livemode && !list.livemode) refuse(['anchor_sets', i], 'must be a list for live mode')
  })
}

/**
 * Rejects a preferred `client_id_prefix` that the verifier cannot use, if `verifier` or `request_options` is
 * sent.
 */
function checkPrefix(
  sent: SentIdentification,
  current: Identification,
  { baseUrl }: SettingsRules,
  context: z.core.$RefinementCtx,
): void {
  const { request_options } = { ...current, ...sent }
  const { verifier = null } = sent.verifier === undefined ? current : (sent.verifier ?? {})
  const error = prefixError(request_options?.client_id_prefix, verifier, baseUrl)
  if (error === undefined || !(sent.verifier !== undefined || sent.request_options)) return
  const inVerifier = sent.verifier?.verifier ? ['verifier', error.member] : ['verifier']
  const path = sent.verifier === undefined ? ['request_options', 'client_id_prefix'] : inVerifier
  context.addIssue({ code: 'custom', path, message: error.message })
}

/**
 * Rejects settings that have metadata for Google Wallet both in `google_wallet` and in a further identity. A
 * multi-signed request has the same `client_metadata` for all identities.
 */
function checkGoogleWallet(
  { verifier: sent, google_wallet: sentMetadata }: SentIdentification,
  current: CurrentSettings,
  refuse: (path: (string | number)[], message: string) => void,
): void {
  const ofVerifier = sentMetadata === undefined ? current.google_wallet : sentMetadata
  const further = (sent === undefined ? current : sent)?.further_verifiers ?? []
  const i = further.findIndex(({ google_wallet }) => google_wallet !== undefined)
  if (!ofVerifier || i === -1) return
  if (sent)
    refuse(['verifier', 'further', i, 'google_wallet'], 'must not be beside google_wallet of the settings')
  else if (sentMetadata) refuse(['google_wallet'], 'must not be beside google_wallet in verifier.further')
}

/**
 * Some prefixes need a certain member of `verifier`. Returns the name of the missing or unsuitable member and
 * an error message; `undefined` if the prefix can be used. `verifier` null: the service's own verifier is
 * used, which the operator configures.
 */
function prefixError(prefix: string | undefined, verifier: Identification['verifier'], baseUrl: string) {
  if (prefix === 'verifier_attestation' && verifier?.attestation_jwt === undefined) {
    const message = 'verifier must have an attestation_jwt when client_id_prefix is verifier_attestation'
    return { member: 'attestation_jwt', message }
  }
  // With this prefix, a wallet compares the certificate with the host of this service.
  if (prefix !== 'x509_san_dns' || !verifier) return undefined
  if (namesHost(verifier.certificate_chain_pem, new URL(baseUrl).hostname)) return undefined
  const message =
    'the verifier certificate must name the host of this service when client_id_prefix is x509_san_dns'
  return { member: 'certificate_chain_pem', message }
}

/**
 * Returns true for a return URL (api/creation), which has no fragment. Also rejects texts that the URL parser
 * would change: the parser drops white space and replaces backslashes.
 */
function isReturnUrl(text: string, allowLoopback: boolean): boolean {
  return parseWebUrl(text, allowLoopback) !== undefined && !/[\s\p{C}\\#]/u.test(text)
}

/** Returns true for a serialised origin, which has no trailing slash (OpenID4VP 1.0 Appendix A.2). */
function isOrigin(text: string, allowLoopback: boolean): boolean {
  return parseWebUrl(text, allowLoopback)?.origin === text
}

function parseWebUrl(text: string, allowLoopback: boolean): URL | undefined {
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed === undefined || parsed.username !== '' || parsed.password !== '') return undefined
  const loopback = LOOPBACK_HOSTS.includes(parsed.hostname)
  const secure = parsed.protocol === 'https:' || (parsed.protocol === 'http:' && loopback && allowLoopback)
  return secure ? parsed : undefined
}
