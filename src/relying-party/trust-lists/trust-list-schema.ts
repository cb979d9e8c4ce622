// Configuration of a trust list by the operator (api/trust): its address, its signers, and what its
// certificates are trusted for. The schema rejects unknown members, and every error has a pointer.

import * as z from 'zod/mini'
import { list, text, unique } from '../../codec/schema.ts'
import { outboundRule } from '../../config.ts'
import { TRUST_LIST } from '../../limits.ts'
import { checkOutboundUrl } from '../../net/outbound-url.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import { ASSURANCE_LEVELS, type AssuranceLevel } from '../../trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../trust/anchors/parse-anchor.ts'
import type { ServiceGrant } from '../../trust/lists/list-anchors.ts'
import type { ListSigner } from '../../trust/lists/list-signer.ts'
import type { SignedKind } from '../../trust/lists/listed.ts'
import { BUNDLE_SERVICE } from '../../trust/lists/pem-bundle.ts'
import { TL } from '../../trust/lists/tl-limits.ts'
import {
  LIST_SCHEMES,
  NATIONAL_SCHEMES,
  NOT_ATTESTATION_SERVICES,
  SCHEME_NAMES,
  type SchemeName,
} from '../../trust/lists/tl-presets.ts'
import { decodePemCertificates } from '../../trust/x509/pem-certificates.ts'
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
      /** Seconds for which a copy is used after its last confirmation as the current version of the list. */
      readonly stale_after_seconds: number
    }
  | ({
      readonly kind: 'etsi_tl'
      /** The expected `TSLType`, and `SchemeTerritory`; `null` accepts any. */
      readonly list_type: string | null
      readonly territory: string | null
    } & XmlSource)
  | ({
      readonly kind: 'eu_lotl'
      /** National lists that are followed. */
      readonly territories: readonly string[] | 'all'
      /** Address in the Official Journal at which `signers` are published; `null`: no pivot is followed. */
      readonly oj_url: string | null
    } & XmlSource)
  | { readonly kind: 'pem_bundle'; readonly pem: string }

/** A published list in XML. Each signer has one certificate. */
type XmlSource = {
  /**
   * Name of the scheme from which `services` were made. `assurance_level` and `credential_types` are what the
   * operator sent with it.
   */
  readonly schemes?: SchemeName
  readonly assurance_level?: AssuranceLevel
  readonly credential_types?: readonly string[]
  readonly url: string
  readonly signers: readonly XmlSigner[]
  readonly refresh_seconds: number
  readonly stale_after_seconds: number
}

export type XmlSigner = { readonly x509_certificate_pem: string }

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
  const published = {
    ...common,
    url: text(2048),
    signers: list(xmlSigner, TL.signers),
    stale_after_seconds: z._default(seconds, DAY),
    services: z.optional(xmlServices),
    assurance_level: z.optional(grant.assurance_level),
    credential_types: z.optional(grant.credential_types),
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
  const xmlList = z.pipe(
    z.strictObject({
      ...published,
      kind: z.literal('etsi_tl'),
      list_type: z._default(z.nullable(text(500)), null),
      territory: z._default(z.nullable(territoryName), null),
      schemes: z.optional(z.enum(SCHEME_NAMES)),
      refresh_seconds: z._default(seconds, HOUR),
    }),
    z.transform(withSchemeServices),
  )
  const lotl = z.pipe(
    z.strictObject({
      ...published,
      kind: z.literal('eu_lotl'),
      territories: z.union([z.literal('all'), unique(territoryName, TL.followed)]),
      oj_url: z._default(z.nullable(httpsUrl), null),
      schemes: z.optional(z.enum(NATIONAL_SCHEMES)),
      refresh_seconds: z._default(daily, HOUR),
    }),
    z.transform(withSchemeServices),
  )
  return z
    .discriminatedUnion('kind', [lote, vical, bundle, xmlList, lotl])
    .check(
      z.superRefine((config, context) => checkSource(config, rules, context)),
    ) as z.ZodMiniType<TrustListConfig>
}

const HOUR = 3600
const DAY = 24 * HOUR
const seconds = z.int().check(z.minimum(60), z.maximum(30 * DAY))

/**
 * Seconds between two fetches of a list of lists. At most one day, because this list names the signers of all
 * other lists.
 */
const daily = z.int().check(z.minimum(60), z.maximum(DAY))
const httpsUrl = text(500).check(
  z.refine((url) => /^https:\/\/[!-~]+$/.test(url) && URL.canParse(url), 'must be an https URL'),
)
const territoryName = z.string().check(z.regex(/^[A-Z]{2}$/, 'must be two capital letters, as SE'))

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

const xmlServices = list(
  z.strictObject({
    type: text(500).check(
      z.superRefine((type, { addIssue }) => {
        if (!NOT_ATTESTATION_SERVICES.includes(type)) return
        const message = 'must be a service that issues attestations, as …/Svctype/EAA/Q'
        addIssue({ code: 'custom', input: type, message, params: { code: 'not_an_attestation_service' } })
      }),
    ),
    statuses: z.optional(list(text(500), 8)),
    ...grant,
  }),
  TRUST_LIST.services,
)

type XmlListInput = {
  readonly services?: z.output<typeof xmlServices> | undefined
  readonly schemes?: SchemeName | undefined
  readonly assurance_level?: AssuranceLevel | undefined
  readonly credential_types?: readonly z.output<typeof typeName>[] | undefined
  readonly list_type?: string | null
}

/** Makes the services of a list that names a scheme. A list has either `services` or `schemes`. */
function withSchemeServices<T extends XmlListInput>(
  input: T,
  { issues }: { readonly issues: z.core.$ZodRawIssue[] },
): T & { readonly services: z.output<typeof xmlServices> } {
  const { services, schemes, assurance_level, credential_types, list_type } = input
  const refuse = (path: string, message: string) => {
    issues.push({ code: 'custom', input, path: [path], message })
    return z.NEVER
  }
  if (schemes === undefined) {
    const misplaced = 'must stand inside each of services: it is for a list with schemes'
    if (assurance_level) return refuse('assurance_level', misplaced)
    if (credential_types) return refuse('credential_types', misplaced)
    return services
      ? { ...input, services }
      : refuse('services', 'This member is required, unless schemes is given.')
  }
  const named = 'must not be combined with schemes, which names it'
  if (services) return refuse('services', named)
  if (list_type) return refuse('list_type', named)
  if (!assurance_level) return refuse('assurance_level', REQUIRED)
  const grants = LIST_SCHEMES[schemes].services.map((one) => ({ credential_types, ...one, assurance_level }))
  const types = grants[0]?.credential_types
  if (!types) return refuse('credential_types', REQUIRED)
  if (credential_types && types !== credential_types) return refuse('credential_types', named)
  return { ...input, services: grants as z.output<typeof xmlServices> }
}

const REQUIRED = 'This member is required with schemes.'

/**
 * A signer of a list in XML. Certificates of RSA keys are accepted, because most lists are signed with RSA
 * keys.
 */
const xmlSigner = z.strictObject({
  x509_certificate_pem: z.string().check(
    z.refine((pem) => {
      const [certificate, ...others] = decodePemCertificates(pem) ?? []
      return certificate?.subjectKey !== undefined && others.length === 0
    }, 'must be one certificate as PEM, with an RSA key of 2048 bits or more, or P-256, P-384 or P-521'),
  ),
})

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
