// Checks of the input of `verifyResponse`: anchors, time and network.

import type { EvaluationContext } from '../../../src/exchange/evaluate-presentations.ts'
import { createFetchResource, type FetchResource, fetchUntil } from '../../../src/net/guarded-fetch.ts'
import type { TrustAnchor as ParsedAnchor } from '../../../src/trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../../src/trust/anchors/parse-anchor.ts'
import { CERTIFICATE_REVOCATION } from '../../../src/trust/revocation/certificate-revocation.ts'
import { inputError } from './faults.ts'
import { InputError } from './input-error.ts'
import { checkTime } from './request-input.ts'
import type { TrustAnchor, VerifyResponseInput } from './types.ts'
import { isVerifiedList } from './verified-lists.ts'

type CheckedInput = Pick<EvaluationContext, 'now' | 'anchors' | 'incomplete' | 'fetchResource'> &
  Required<Pick<VerifyResponseInput, 'statusUnavailable' | 'certificateRevocation'>>

/** Checks the input. `now` is Unix seconds. Throws an `InputError`. */
export function checkVerifyInput(input: VerifyResponseInput): CheckedInput {
  const now = checkTime(input.now, '/now')
  const { timeout = DEFAULT_TIMEOUT_MS } = input
  const { statusUnavailable = 'refuse', certificateRevocation = 'off' } = input
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > LONGEST_TIMEOUT_MS)
    throw inputError('/timeout', `must be 1 to ${LONGEST_TIMEOUT_MS} milliseconds`)
  if (statusUnavailable !== 'refuse' && statusUnavailable !== 'accept')
    throw inputError('/statusUnavailable', 'must be "refuse" or "accept"')
  if (!CERTIFICATE_REVOCATION.includes(certificateRevocation))
    throw inputError('/certificateRevocation', 'must be "off" or "accept_unknown" or "require"')
  const fetcher = input.fetch ?? globalFetch
  if (typeof fetcher !== 'function') throw inputError('/fetch', 'must be a function')
  return {
    now,
    ...anchorsOf(input.anchors, now),
    fetchResource: fetchUntil(resourceFetcher(fetcher), Date.now() + timeout),
    statusUnavailable,
    certificateRevocation,
  }
}

const DEFAULT_TIMEOUT_MS = 20_000
const LONGEST_TIMEOUT_MS = 300_000

/** Time limit of one fetch. */
const FETCH_TIMEOUT_MS = 5_000

/** Most anchors and lists of one call. */
const ANCHORS = 1_000

type Fetcher = NonNullable<VerifyResponseInput['fetch']>

const globalFetch: Fetcher = (url, init) => fetch(url, init)

/** One guarded fetch for each function of a caller, because results are cached for it. */
const fetchers = new WeakMap<Fetcher, FetchResource>()

function resourceFetcher(fetcher: Fetcher): FetchResource {
  const found =
    fetchers.get(fetcher) ??
    createFetchResource({
      fetch: (url, init) => fetcher(url, init),
      allowLoopback: false,
      // The library does not know its own host. This name is never fetched.
      ownHost: 'localhost',
      timeoutMs: FETCH_TIMEOUT_MS,
    })
  fetchers.set(fetcher, found)
  return found
}

/**
 * Returns the anchors, and if a list is stale. Anchors of a stale list are left out: an issuer that no other
 * anchor covers is then refused as `trust_list_unavailable`.
 */
function anchorsOf(given: unknown, now: number): Pick<EvaluationContext, 'anchors' | 'incomplete'> {
  if (!Array.isArray(given) || given.length > ANCHORS)
    throw inputError('/anchors', `must be an array of at most ${ANCHORS} anchors and lists`)
  const anchors: ParsedAnchor[] = []
  let incomplete = false
  for (const [i, value] of (given as readonly unknown[]).entries()) {
    if (isVerifiedList(value)) {
      const isUsable = value.usableUntil === null || now * 1000 < value.usableUntil.getTime()
      if (isUsable) anchors.push(...(value.anchors as readonly ParsedAnchor[]))
      else incomplete = true
    } else anchors.push(parseAnchor(value as TrustAnchor, i))
  }
  return { anchors, incomplete }
}

function parseAnchor(value: TrustAnchor, index: number): ParsedAnchor {
  const parsed = parseTrustAnchor(value)
  if (parsed.ok) return parsed.value
  const faults = parsed.error.map(({ pointer, message }) => ({
    pointer: `/anchors/${index}${pointer}`,
    code: 'invalid_input',
    message,
  }))
  throw new InputError(faults)
}
