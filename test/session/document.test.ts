import { describe, expect, it } from 'vitest'
import { readDocument, SCHEMA } from '../../src/session/document.ts'
import { newestGeneration } from '../../src/session/generations.ts'
import { SCHEMA_1 } from './schema-1.ts'

describe('a stored document', () => {
  it('of the first version is read as one that holds nothing and belongs to no browser', () => {
    const { schema: _, generations, ...rest } = SCHEMA_1
    const read = readDocument(SCHEMA_1)
    const expected = { ...rest, schema: SCHEMA, held: null, returned: null, owed_to_log: null }
    expect(read).toMatchObject({ ...expected, generations: [{ ...generations[0], browser: null }] })
    if (read === undefined || read.erased) throw new Error('not a session')
    expect(newestGeneration(read.generations, 'any_device')?.number).toBe(1)
  })

  it('of the first version, erased, keeps its key', () => {
    const tombstone = { erased: true, body_digest: 'digest', keep_until: 1 }
    expect(readDocument({ schema: 1, ...tombstone })).toEqual({ schema: SCHEMA, ...tombstone })
  })

  it('of any other version is refused', () => {
    for (const schema of [0, SCHEMA + 1, '1', null, undefined]) {
      expect(() => readDocument({ ...SCHEMA_1, schema })).toThrow('unknown schema')
    }
  })
})
