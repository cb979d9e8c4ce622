import { describe, expect, it } from 'vitest'
import { readDocument, SCHEMA, stageOf } from '../../src/session/document/document.ts'
import { requireRequestOptions } from '../../src/session/document/stored-request.ts'
import { PENDING } from './recorded-sessions.ts'

describe('a stored document', () => {
  it('without an OpenID4VP protocol has no request options', () => {
    const request_options = { client_id_prefix: null, response_mode: null, request_uri_method: null }
    expect(() => requireRequestOptions({ request: { request_options } })).toThrow('no requests of OpenID4VP')
  })

  it('is read unchanged if it has the current schema', () => {
    expect(readDocument(PENDING)).toBe(PENDING)
  })

  it('keeps the stage request_fetched when the fetched generation is gone', () => {
    expect([stageOf(PENDING), stageOf({ ...PENDING, generations: [] })]).toEqual([
      'request_fetched',
      'request_fetched',
    ])
  })

  it('is read unchanged after the erasure of its session', () => {
    const tombstone = { schema: SCHEMA, erased: true, body_digest: 'digest', keep_until: 1 }
    expect(readDocument(tombstone)).toBe(tombstone)
  })

  it('is refused with its schema number if it has another schema', () => {
    for (const schema of [0, 1, SCHEMA - 1, SCHEMA + 1, '1', null, undefined]) {
      expect(() => readDocument({ ...PENDING, schema })).toThrow(`unknown schema: ${schema}`)
    }
  })
})
