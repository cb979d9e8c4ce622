// Status lists in memory: one fetch for all who need it, remembered for as long as the list says, within bounds.
// The list stays compressed, and whether it is trusted is not remembered: relying parties have anchors of their own.

import { STATUS_LIST } from '../limits.ts'
import { err, ok, type Result } from '../result.ts'
import { decodeBitstringStatusList } from './bitstring-status-token.ts'
import type { FetchResource, ResourceFault } from './fetch-resource.ts'
import { decodeStatusListCwt } from './status-cwt.ts'
import { measureStatusList } from './status-inflate.ts'
import { decodeStatusListJwt } from './status-jwt.ts'
import type { DecodedStatusToken, StatusListFault, StatusListForm } from './status-token.ts'

/** A token whose list is known to inflate within the limits, and what came of verifying its signature, by key. */
export type RememberedStatusToken = {
  readonly token: DecodedStatusToken
  readonly verdicts: Map<string, boolean>
}

type Place = { readonly uri: string; readonly form: StatusListForm }
type Source = { readonly now: number; readonly fetchResource: FetchResource }
type Found = Result<RememberedStatusToken, StatusListFault>
type Kept = { readonly readAt: number; readonly bytes: number; readonly found: Found }
type UnderWay = { readonly begunAt: number; readonly reading: Promise<Kept> }
type Memory = { readonly kept: Map<string, Kept>; readonly underWay: Map<string, UnderWay> }

/** Per fetcher: what one may not reach (loopback, say) must not be had from another's memory. */
const memories = new WeakMap<FetchResource, Memory>()

/** The token at an address, fetched or remembered. Its signature is not verified. */
export async function rememberStatusToken(place: Place, source: Source): Promise<Found> {
  const memory = memories.get(source.fetchResource) ?? { kept: new Map(), underWay: new Map() }
  memories.set(source.fetchResource, memory)
  const name = `${place.form} ${place.uri}`
  const kept = memory.kept.get(name)
  if (kept !== undefined && isFresh(kept, source.now)) return kept.found
  const underWay = memory.underWay.get(name)
  if (underWay !== undefined && age(underWay.begunAt, source.now) <= STATUS_LIST.underWaySeconds)
    return (await underWay.reading).found
  const begun = { begunAt: source.now, reading: read(place, source) }
  memory.underWay.set(name, begun)
  try {
    const read = await begun.reading
    keep(memory.kept, name, read)
    return read.found
  } finally {
    if (memory.underWay.get(name) === begun) memory.underWay.delete(name)
  }
}

/** The claims' word, not HTTP's (§8.4): `ttl` within our bounds. `exp` is judged whenever the token is used. */
function isFresh({ readAt, found }: Kept, now: number): boolean {
  const { failedSeconds, defaultSeconds, minimumSeconds, maximumSeconds } = STATUS_LIST
  if (!found.ok) return age(readAt, now) < failedSeconds
  const { token, verdicts } = found.value
  const { ttl = defaultSeconds, exp = Number.POSITIVE_INFINITY } = token.claims
  // Until somebody's anchor has verified it, a token is worth no more than a failure; so is one that has run out.
  const isVerified = [...verdicts.values()].includes(true)
  if (!isVerified || exp <= now) return age(readAt, now) < failedSeconds
  return age(readAt, now) < Math.min(Math.max(ttl, minimumSeconds), maximumSeconds)
}

/** Clocks may step back: what was read "later" than now is as old as it is far away. */
function age(moment: number, now: number): number {
  return Math.abs(now - moment)
}

/** Forgets the oldest until there is room. */
function keep(kept: Map<string, Kept>, name: string, entry: Kept): void {
  kept.delete(name)
  let bytes = entry.bytes
  for (const other of kept.values()) bytes += other.bytes
  for (const [oldest, other] of kept) {
    const { rememberedTokens, rememberedBytes } = STATUS_LIST
    if (kept.size < rememberedTokens && bytes <= rememberedBytes) break
    kept.delete(oldest)
    bytes -= other.bytes
  }
  kept.set(name, entry)
}

async function read({ uri, form }: Place, { now, fetchResource }: Source): Promise<Kept> {
  const { accept, decode } = FORMS[form]
  const limit = STATUS_LIST.tokenBytes
  const fetched = await fetchResource({ url: uri, accept, limit })
  if (!fetched.ok) return { readAt: now, bytes: 0, found: err(FETCH_FAULTS[fetched.error]) }
  // The signed `typ` says what this is; the response's content type is nobody's signed word.
  const { body } = fetched.value
  const token = decode(body)
  if (!token.ok) return { readAt: now, bytes: 0, found: token }
  const size = await measureStatusList(token.value.claims.list)
  if (!size.ok) return { readAt: now, bytes: 0, found: size }
  // Held are the message, its claims and the list decoded from them.
  return {
    readAt: now,
    bytes: 3 * body.length,
    found: ok({ token: token.value, verdicts: new Map() }),
  }
}

type Form = {
  readonly accept: string
  readonly decode: (body: Uint8Array<ArrayBuffer>) => Result<DecodedStatusToken, StatusListFault>
}

const FORMS: Readonly<Record<StatusListForm, Form>> = {
  jwt: { accept: 'application/statuslist+jwt', decode: decodeStatusListJwt },
  cwt: { accept: 'application/statuslist+cwt', decode: decodeStatusListCwt },
  // Either encoding of the list's credential; servers know them by several names.
  vc: { accept: 'application/vc+jwt, application/jwt, */*;q=0.1', decode: decodeBitstringStatusList },
}

const FETCH_FAULTS: Readonly<Record<ResourceFault, StatusListFault>> = {
  forbidden: 'address_forbidden',
  unavailable: 'not_fetched',
  too_large: 'too_large',
}
