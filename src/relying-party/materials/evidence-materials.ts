// Public lists that evidence names (api/evidence): status lists, revocation lists and trust lists, as
// fetched. The first digit of a list's SHA-256 selects one of 16 objects.

import { DurableObject } from 'cloudflare:workers'
import { concatBytes, splitParts } from '../../codec/bytes.ts'
import { type Env, withJurisdiction } from '../../env.ts'

const DAY_MS = 86_400_000

/**
 * A reference to a material (a stored public list). `by`: the relying party whose evidence names the
 * material; empty if a trust list stores its own issue. `until`: end of the reference in Unix milliseconds.
 */
export type Naming = { readonly by: string; readonly until: number }

/** Time at which each reference ends, in Unix milliseconds, by relying party. */
type Named = Readonly<Record<string, number>>

export class EvidenceMaterials extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
  }

  /**
   * Stores a material (a public list) for a relying party, or only its reference if `body` is absent. Returns
   * false if `body` is absent and the material is not stored.
   */
  async keep(sha256: string, { by, until }: Naming, body?: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const { storage } = this.ctx
    if (body === undefined && this.#named(sha256) === undefined) return false
    // The alarm is set first, so that nothing is stored without an alarm.
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + DAY_MS)
    // At most five parts: lists have up to 8 MiB.
    for (const [i, part] of body ? splitParts(body).entries() : []) storage.kv.put(`${sha256}/${i}`, part)
    storage.kv.put(NAMED + sha256, { ...this.#named(sha256), [by]: until })
    return true
  }

  /** Returns a material. `undefined` if the relying party has no reference to it, or only an ended one. */
  read(sha256: string, by: string): Uint8Array<ArrayBuffer> | undefined {
    const until = this.#named(sha256)?.[by] ?? 0
    return until > Date.now() ? concatBytes(...this.#parts(sha256).map(([, part]) => part)) : undefined
  }

  /** Erases each material whose references have all ended. Runs once a day while any material is stored. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage
    const now = Date.now()
    const materials = [...kv.list<Named>({ prefix: NAMED })]
    const ended = materials.filter(([, named]) => Object.values(named).every((until) => until <= now))
    for (const [key] of ended) {
      for (const [part] of this.#parts(key.slice(NAMED.length))) kv.delete(part)
      kv.delete(key)
    }
    if (ended.length < materials.length) await this.ctx.storage.setAlarm(now + DAY_MS)
  }

  #named(sha256: string): Named | undefined {
    return this.ctx.storage.kv.get(NAMED + sha256)
  }

  #parts(sha256: string): readonly [string, Uint8Array][] {
    return [...this.ctx.storage.kv.list<Uint8Array>({ prefix: `${sha256}/` })]
  }
}

/** Prefix of the keys of `Named` values. The keys of a material's parts begin with its digest. */
const NAMED = 'named/'
