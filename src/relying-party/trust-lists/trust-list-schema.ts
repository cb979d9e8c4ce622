// Configuration of a trust list by the operator (api/trust): its address, its signers, and what its
// certificates are trusted for. Strict, with a pointer for each error.

import * as z from 'zod/mini'
import { list, text } from '../../codec/schema.ts'
import { outboundRule } from '../../config.ts'
import { TRUST_LIST } from '../../limits.ts'
import { checkOutboundUrl } from '../../net/outbound-url.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import { ASSURANCE_LEVELS } from '../../trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../trust/anchors/parse-anchor.ts'
import type { ServiceGrant } from '../../trust/lists/list-anchors.ts'
import type { ListSigner } from '../../trust/lists/list-signer.ts'
import type { SignedKind } from '../../trust/lists/listed.ts'
import { BUNDLE_SERVICE } from '../../trust/lists/pem-bundle.ts'
import type { SettingsRules } from '../settings/settings-schema.ts'

/**
 * A list as the operator configured it. A list that is not `livemode` is only for test-mode relying parties.
 */
export type TrustListConfig = {
  readonly name: string
  readonly livemode: boolean
  readonly services: readonly ServiceGrant[]
} & TrustListSource

/** Source of the certificates. Durations are seconds. */
export type TrustListSource =
  | {
      readonly kind: SignedKind
      readonly url: string
      readonly signers: readonly ListSigner[]
      readonly list_type: string | null
      readonly refresh_seconds: number
      /** Seconds for which a copy is used after its last confirmation as the current issue. */
      readonly stale_after_seconds: number
    }
  | { readonly kind: 'pem_bundle'; readonly pem: string }

/** Names of lists in `anchor_sets` and in addresses. */
export const LIST_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

type OutboundRules = Pick<SettingsRules, 'baseUrl' | 'allowLoopback' | 'listeningPort'>

/** Body of `POST /v1/admin/trust_lists`. */
export function trustListSchema(rules: OutboundRules): z.ZodMiniType<TrustListConfig> {
  const common = {
    name: z.string().check(z.regex(LIST_NAME, 'must be up to 64 of a-z, 0-9, _ and -')),
    livemode: z._default(z.boolean(), true),
  }
  const signed = {
    ...common,
    url: text(2048),
    signers: list(signer, TRUST_LIST.signers),
    services: list(z.strictObject({ type: text(500), ...grant }), TRUST_LIST.services),
    refresh_seconds: z._default(seconds, HOUR),
    stale_after_seconds: z._default(seconds, DAY),
  }
  const bundle = z.strictObject({
    ...common,
    kind: z.literal('pem_bundle'),
    pem: text(TRUST_LIST.certificateBytes),
    services: z.pipe(
      list(z.strictObject(grant), TRUST_LIST.services),
      z.transform((grants) => grants.map((one) => ({ type: BUNDLE_SERVICE, ...one }))),
    ),
  })
  const lote = z.strictObject({
    ...signed,
    kind: z.literal('etsi_lote'),
    list_type: z._default(z.nullable(text(500)), null),
  })
  const vical = z.strictObject({
    ...signed,
    kind: z.literal('vical'),
    list_type: z._default(z.null('must be null: a VICAL has no type'), null),
  })
  return z
    .discriminatedUnion('kind', [lote, vical, bundle])
    .check(
      z.superRefine((config, context) => checkSource(config, rules, context)),
    ) as z.ZodMiniType<TrustListConfig>
}

const HOUR = 3600
const DAY = 24 * HOUR
const seconds = z.int().check(z.minimum(60), z.maximum(30 * DAY))

/**
 * Name of a built-in type. A type that a relying party added is rejected, because only that relying party
 * decides who may issue it. Other rules of anchors are checked when a certificate becomes an anchor.
 */
const typeName = z.enum(BUILT_IN_TYPES.map(({ name }) => name))

const grant = {
  credential_types: list(typeName, BUILT_IN_TYPES.length),
  assurance_level: z.enum(ASSURANCE_LEVELS),
  purpose: z.optional(list(z.enum(['issuer', 'status']), 2)),
  eku: z.optional(list(text(128), 16)),
}

/** A signer of a list. Its certificate and `eku` follow the rules of a trust anchor. */
const signer = z.pipe(
  z.strictObject({
    x509_ca_pem: z.optional(z.string()),
    x509_certificate_pem: z.optional(z.string()),
    eku: z.optional(z.array(z.string())),
  }),
  z.transform((input, { issues }): ListSigner => {
    const anchor = parseTrustAnchor({
      name: 'signer',
      credential_types: ['list'],
      assurance_level: 'low',
      ...input,
    })
    if (!anchor.ok) {
      for (const { pointer, message } of anchor.error) {
        issues.push({ code: 'custom', input, path: pointer.split('/').slice(1), message })
      }
      return z.NEVER
    }
    const { x509_ca_pem, x509_certificate_pem = '', eku } = input
    return x509_ca_pem === undefined ? { x509_certificate_pem } : { x509_ca_pem, ...(eku && { eku }) }
  }),
)

function checkSource(
  config: { readonly livemode: boolean } & ({ readonly kind: 'pem_bundle' } | { readonly url: string }),
  rules: OutboundRules,
  context: z.core.$RefinementCtx,
): void {
  if (!('url' in config)) return
  if (!checkOutboundUrl(config.url, outboundRule(rules, config.livemode)).ok) {
    const message = 'must be an https URL of a public host other than this service'
    context.addIssue({ code: 'custom', path: ['url'], message })
  }
}
