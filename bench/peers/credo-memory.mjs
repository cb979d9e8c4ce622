// Storage of Credo in memory: records as JSON, with an index of their tags.

import {
  InjectionSymbols,
  JsonTransformer,
  Kms,
  RecordDuplicateError,
  RecordNotFoundError,
} from '@credo-ts/core'
import { NodeInMemoryKeyManagementStorage, NodeKeyManagementService } from '@credo-ts/node'

/** Registers the storage, and keys in memory. */
export class MemoryModule {
  register(dependencyManager) {
    dependencyManager.registerInstance(InjectionSymbols.StorageService, new MemoryStorage())
    const keys = dependencyManager.resolve(Kms.KeyManagementModuleConfig)
    keys.registerBackend(new NodeKeyManagementService(new NodeInMemoryKeyManagementStorage()))
  }
}

class MemoryStorage {
  supportsCursorPagination = false
  #records = new Map()
  /** Ids of records by type, tag and value. */
  #index = new Map()

  async save(_context, record) {
    if (this.#records.has(record.id)) throw new RecordDuplicateError(record.id, { recordType: record.type })
    this.#put(record)
  }

  async update(_context, record) {
    this.#remove(record.type, record.id)
    this.#put(record)
  }

  async delete(_context, record) {
    this.#remove(record.type, record.id)
  }

  async deleteById(_context, { type }, id) {
    this.#remove(type, id)
  }

  async getById(_context, recordClass, id) {
    return this.#read(recordClass, this.#existing(recordClass.type, id))
  }

  async getAll(_context, recordClass) {
    const all = [...this.#records.values()].filter(({ type }) => type === recordClass.type)
    return all.map((stored) => this.#read(recordClass, stored))
  }

  async findByQuery(context, recordClass, query) {
    if (Object.keys(query).length === 0) return this.getAll(context, recordClass)
    const ids = [...this.#find(recordClass.type, query)]
    return ids.map((id) => this.#read(recordClass, this.#existing(recordClass.type, id)))
  }

  /** Returns the ids for a query of tags, `$and` and `$or`. */
  #find(type, query) {
    const sets = Object.entries(query).flatMap(([tag, value]) => {
      if (value === undefined) return []
      if (tag === '$and') return value.map((part) => this.#find(type, part))
      if (tag === '$or') return [value.map((part) => this.#find(type, part)).reduce((a, b) => a.union(b))]
      if (tag.startsWith('$')) throw new Error(`the storage does not support ${tag}`)
      return [this.#index.get(keyOf(type, tag, value)) ?? new Set()]
    })
    return sets.sort((a, b) => a.size - b.size).reduce((a, b) => a.intersection(b))
  }

  #put(record) {
    const { id, type } = record
    const keys = Object.entries(record.getTags()).map(([tag, value]) => keyOf(type, tag, value))
    this.#records.set(id, { id, type, json: JsonTransformer.serialize(record), keys })
    for (const key of keys) {
      if (!this.#index.has(key)) this.#index.set(key, new Set())
      this.#index.get(key).add(id)
    }
  }

  #remove(type, id) {
    for (const key of this.#existing(type, id).keys) this.#index.get(key).delete(id)
    this.#records.delete(id)
  }

  #existing(type, id) {
    const stored = this.#records.get(id)
    if (stored?.type !== type) throw new RecordNotFoundError(`there is no record ${id}`, { recordType: type })
    return stored
  }

  #read(recordClass, { json }) {
    return JsonTransformer.deserialize(json, recordClass)
  }
}

const keyOf = (type, tag, value) => `${type} ${tag} ${value}`
