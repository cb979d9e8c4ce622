import { describe, expect, it } from 'vitest'
import { readDocument, SCHEMA, stageOf } from '../../src/session/document.ts'
import { newestGeneration } from '../../src/session/request/generations.ts'
import { SCHEMA_1 } from './schema-1.ts'
import { SCHEMA_2 } from './schema-2.ts'
import { SCHEMA_3 } from './schema-3.ts'
import { SCHEMA_4 } from './schema-4.ts'

describe('a stored document', () => {
  it('of the first version is read as one that holds nothing and belongs to no browser', () => {
    const { schema: _, generations, ...rest } = SCHEMA_1
    const read = readDocument(SCHEMA_1)
    const added = { request_fetched: false, held: null, returned: null, owed_to_log: null }
    const expected = { ...rest, schema: SCHEMA, ...added }
    expect(read).toMatchObject({ ...expected, generations: [{ ...generations[0], browser: null }] })
    if (read === undefined || read.erased) throw new Error('not a session')
    expect(newestGeneration(read.generations, 'any_device')?.number).toBe(1)
  })

  it('of the second version is read as one whose request was fetched where a generation of it was', () => {
    const [generation] = SCHEMA_2.generations
    expect(readDocument(SCHEMA_2)).toEqual({ ...SCHEMA_2, schema: SCHEMA, request_fetched: true })
    const unfetched = { ...SCHEMA_2, generations: [{ ...generation, fetched: false }] }
    expect(readDocument(unfetched)).toMatchObject({ request_fetched: false })
    const held = { answer: 'digest', generation: 1, browser: 'mark', until: 1, returned: false }
    const outcome = { credentials: [] }
    expect(readDocument({ ...unfetched, held: { ...held, outcome } })).toMatchObject({
      held,
      request_fetched: true,
    })
  })

  it('of the third version is read as one whose credentials named no status', () => {
    const { outcome } = SCHEMA_3
    const credentials = outcome.credentials.map((one) => ({ ...one, status: 'not_present' }))
    const read = { ...outcome, credentials, request_hash: null }
    expect(readDocument(SCHEMA_3)).toEqual({ ...SCHEMA_3, schema: SCHEMA, outcome: read })
    const held = { answer: 'digest', generation: 1, browser: 'mark', until: 1, returned: false, outcome }
    expect(readDocument({ ...SCHEMA_3, status: 'pending', outcome: null, held })).toMatchObject({
      outcome: null,
      held: { ...held, outcome: read },
    })
  })

  it('of the fourth version is read as one of whose request nothing is left', () => {
    const { outcome } = SCHEMA_4
    const read = { ...outcome, request_hash: null }
    expect(readDocument(SCHEMA_4)).toEqual({ ...SCHEMA_4, schema: SCHEMA, outcome: read })
    const held = { answer: 'digest', generation: 1, browser: 'mark', until: 1, returned: false, outcome }
    expect(readDocument({ ...SCHEMA_4, status: 'pending', outcome: null, held })).toMatchObject({
      outcome: null,
      held: { ...held, outcome: read },
    })
  })

  it('whose request was fetched stays at that stage when the generation is gone', () => {
    const read = readDocument(SCHEMA_2)
    if (read === undefined || read.erased) throw new Error('not a session')
    expect([stageOf(read), stageOf({ ...read, generations: [] })]).toEqual([
      'request_fetched',
      'request_fetched',
    ])
  })

  it.each([1, 2, 3, 4])('of version %i, erased, keeps its key', (schema) => {
    const tombstone = { erased: true, body_digest: 'digest', keep_until: 1 }
    expect(readDocument({ schema, ...tombstone })).toEqual({ schema: SCHEMA, ...tombstone })
  })

  it('of any other version is refused', () => {
    for (const schema of [0, SCHEMA + 1, '1', null, undefined]) {
      expect(() => readDocument({ ...SCHEMA_1, schema })).toThrow('unknown schema')
    }
  })
})
