// Fetches a published list, and verifies it by the rules of its kind. The Worker for background work verifies
// lists in XML.

import { callBackground } from '../../background/call-background.ts'
import { type Config, outboundRule } from '../../config.ts'
import type { Env } from '../../env.ts'
import { TRUST_LIST } from '../../limits.ts'
import { createConditionalGet } from '../../net/guarded-fetch.ts'
import { err, ok, type Result } from '../../result.ts'
import { TL } from '../../trust/lists/tl-limits.ts'
import { LIST_SCHEMES } from '../../trust/lists/tl-presets.ts'
import { verifyTrustList } from '../../trust/lists/trust-list.ts'
import { XML } from '../../trust/xml/xml-limits.ts'
import type { NewEdition, RefreshError, TrustListRecord } from './trust-list-record.ts'
import type { TrustListConfig, XmlSigner } from './trust-list-schema.ts'

/** A list that has an address. */
export type PublishedConfig = Exclude<TrustListConfig, { kind: 'pem_bundle' }>

/** Time limit of one fetch, including the body. */
const FETCH_TIMEOUT_MS = 15_000

const XML_LIST = { accept: 'application/vnd.etsi.tsl+xml', limit: XML.bytes }

/** Media type and greatest size of each kind. */
export const FETCHED_AS = {
  etsi_lote: { accept: 'application/jose', limit: TRUST_LIST.bytes },
  vical: { accept: 'application/cbor', limit: TRUST_LIST.bytes },
  etsi_tl: XML_LIST,
  eu_lotl: XML_LIST,
} as const

/**
 * Fetches the current issue. `edition`: the last accepted issue, which is compared with the new issue. Its
 * `ETag` is sent. The error is `unavailable` if the Worker for background work cannot verify a list in XML.
 */
export async function fetchList(
  source: PublishedConfig,
  edition: TrustListRecord['edition'],
  config: Config,
  env: Pick<Env, 'BACKGROUND_WORK'>,
): Promise<Result<FetchedIssue | 'not_modified', RefreshError>> {
  const get = createConditionalGet({
    fetch: (input, init) => fetch(input, init),
    ...outboundRule(config, source.livemode),
    timeoutMs: FETCH_TIMEOUT_MS,
  })
  const format = FETCHED_AS[source.kind]
  const etag = edition?.signerExpires === undefined ? null : edition.etag
  const fetched = await get({ url: source.url, ...format, etag })
  if (!fetched.ok) return fetched
  const now = Math.floor(Date.now() / 1000)
  if (fetched.value === 'not_modified') {
    // The list or its signer may have expired since the last fetch. A response with status 304 does not
    // show this.
    if ((edition?.nextUpdate ?? Infinity) <= now) return err('expired')
    return (edition?.signerExpires ?? Infinity) >= now ? ok('not_modified') : err('certificate_expired')
  }
  const verified = await verifyList(fetched.value.body, source, {
    last: edition,
    now,
    env,
    fetchPivot: async (url: string) => {
      const pivot = await get({ url, ...format, limit: TL.pivotBytes, etag: null })
      return pivot.ok && pivot.value !== 'not_modified' ? pivot.value.body : undefined
    },
  })
  if (!verified.ok) return verified
  const { changesLater, ...issue } = verified.value
  // Without an `ETag`, the next fetch gets the whole list again. This is needed if the status of a trusted
  // service starts later: the anchors then change, although the list does not. A list that gives no
  // trust (`ended`) is fetched whole, too.
  const isLasting = changesLater !== true && (issue.ended ?? null) === null
  const { body } = fetched.value
  return ok({ edition: { ...issue, etag: isLasting ? fetched.value.etag : null }, body })
}

/** A new issue, and its bytes. */
type FetchedIssue = { readonly edition: NewEdition; readonly body: Uint8Array<ArrayBuffer> }

type VerifiedEdition = Omit<NewEdition, 'etag'> & { readonly changesLater?: boolean }

async function verifyList(
  body: Uint8Array<ArrayBuffer>,
  source: PublishedConfig,
  {
    last,
    now,
    env,
    fetchPivot,
  }: {
    readonly last: TrustListRecord['edition']
    readonly now: number
    readonly env: Pick<Env, 'BACKGROUND_WORK'>
    readonly fetchPivot: (url: string) => Promise<Uint8Array | undefined>
  },
): Promise<Result<VerifiedEdition, RefreshError>> {
  const { services } = source
  if (source.kind === 'etsi_tl') {
    const { territory } = source
    const rules = {
      signers: listPems(source),
      listTypes: acceptedTypes(source),
      territory,
      services,
      last,
      now,
    }
    return asEdition(await callBackground(async () => env.BACKGROUND_WORK.verifyEtsiTl(body, rules)))
  }
  if (source.kind === 'eu_lotl') {
    const { territories, oj_url: ojUrl } = source
    const { learnedSigners = [], lastPivot = null } = last ?? {}
    const rules = { signers: listPems(source), learnedSigners, lastPivot, ojUrl, territories, last, now }
    const lotl = asEdition(
      await callBackground(async () => env.BACKGROUND_WORK.verifyEuLotl(body, rules, fetchPivot)),
    )
    return lotl.ok ? ok({ ...lotl.value, anchors: [], leftOut: 0 }) : lotl
  }
  const { kind, signers, list_type: listType } = source
  return verifyTrustList(body, { kind, signers, listType, services, last, now })
}

function listPems({ signers }: { readonly signers: readonly XmlSigner[] }): readonly string[] {
  return signers.map(({ x509_certificate_pem }) => x509_certificate_pem)
}

/**
 * Returns the list with `signerExpires: null`. The signature of a list in XML is accepted until the next
 * update of the list, even if the certificate of its signer has expired. If `verified` is `undefined`, the
 * Worker for background work has not checked the list, and the error is `unavailable`.
 */
function asEdition<T>(
  verified: Result<T, RefreshError> | undefined,
): Result<T & { readonly signerExpires: null }, RefreshError> {
  if (verified === undefined) return err('unavailable')
  return verified.ok ? ok({ ...verified.value, signerExpires: null }) : verified
}

function acceptedTypes({
  schemes,
  list_type,
}: Extract<PublishedConfig, { kind: 'etsi_tl' }>): readonly string[] | null {
  if (schemes !== undefined) return LIST_SCHEMES[schemes].listTypes
  return list_type === null ? null : [list_type]
}
