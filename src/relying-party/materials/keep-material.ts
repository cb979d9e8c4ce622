// Stores the public lists that a decision used, before evidence names them (api/evidence). A stored list is
// called a material.

import { encodeHex } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { Env } from '../../env.ts'
import { createCache } from '../../net/cache.ts'
import type { Naming } from './evidence-materials.ts'

const DAY_MS = 86_400_000

/**
 * Days for which one call of `keep` keeps a material. A material is needed for 35 days after each use. One
 * day is added, because an isolate calls `keep` only once a day.
 */
const DAYS_KEPT = 36

/**
 * Materials that this isolate has stored in the last day. If a call is running, other callers wait for its
 * result.
 */
const kept = createCache<unknown>({ names: 1000, waitMs: 5_000 })

/**
 * Returns the result of `keep`. Calls `keep` only if this isolate has no result for the same name and relying
 * party from the last day. An `undefined` result is not stored. `now` is Unix milliseconds.
 */
export async function keepDaily<T>(
  name: string,
  by: string,
  now: number,
  keep: (naming: Naming) => Promise<T>,
): Promise<T> {
  return (await kept.get(`${by} ${name}`, {
    now,
    isFresh: (_, age) => age < DAY_MS,
    read: () => keep({ by, until: now + DAYS_KEPT * DAY_MS }),
  })) as T // all values of one name have the same type
}

/**
 * Stores a material for a relying party. Returns the SHA-256 of the material in hexadecimal once it is
 * stored. Throws if the material cannot be stored. Evidence must not name the material then.
 */
export async function keepMaterial(
  env: Env,
  body: Uint8Array<ArrayBuffer>,
  by: string,
  now: number,
): Promise<string> {
  const digest = encodeHex(await sha256(body))
  return keepDaily(digest, by, now, async (naming) => {
    const stub = materialsStub(env, digest)
    if (!(await stub.keep(digest, naming))) await stub.keep(digest, naming, body)
    return digest
  })
}

/** Returns the object of a material. `digest`: 64 hexadecimal digits. */
export function materialsStub({ EVIDENCE_MATERIALS }: Env, digest: string) {
  return EVIDENCE_MATERIALS.getByName(digest.slice(0, 1))
}
