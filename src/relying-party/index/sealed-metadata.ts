// `metadata` of the entries of one day. The metadata are sealed, because a deleted row stays readable in
// freed pages of the database file.

import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, seal, unseal } from '../../crypto/seal.ts'
import type { IndexEntry } from './index-entry.ts'
import type { StoredEntry } from './stored-entry.ts'

type Metadata = IndexEntry['metadata']

export class SealedMetadata {
  readonly #secret: Uint8Array<ArrayBuffer>
  readonly #objectId: string
  #key: Uint8Array<ArrayBuffer> | undefined

  /** Each object has its own key. An object has the entries of one day of one relying party. */
  constructor(secret: Uint8Array<ArrayBuffer>, objectId: string) {
    this.#secret = secret
    this.#objectId = objectId
  }

  /** Seals the metadata of the entry with this key in storage. Returns null if there is none. */
  async seal(metadata: Metadata, entryKey: string): Promise<string | null> {
    if (Object.keys(metadata).length === 0) return null
    return seal({ key: await this.#sealingKey(), aad: entryKey }, JSON.stringify(metadata), randomBytes(12))
  }

  /** Returns the metadata of an entry. The result is empty from the end of the session's retention on. */
  async open({ sealed_metadata, metadata_until }: StoredEntry, entryKey: string, now: number) {
    if (sealed_metadata === null || metadata_until <= now) return {}
    const text = await unseal({ key: await this.#sealingKey(), aad: entryKey }, sealed_metadata)
    return text === undefined ? {} : (JSON.parse(text) as Metadata) // sealed by this object
  }

  async #sealingKey(): Promise<Uint8Array<ArrayBuffer>> {
    this.#key ??= await deriveKey(this.#secret, `index/${this.#objectId}`)
    return this.#key
  }
}
