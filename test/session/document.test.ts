import { describe, expect, it } from 'vitest'
import { readDocument, SCHEMA, toStage } from '../../src/session/document/document.ts'
import { requireRequestOptions } from '../../src/session/document/stored-request.ts'
import { PENDING } from './recorded-sessions.ts'

describe('a stored document', () => {
  it('has no request options of OpenID4VP if its protocol has no redirect flow, and reading the options throws', () => {
    const request_options = { client_id_prefix: null, response_mode: null, request_uri_method: null }
    expect(() => requireRequestOptions({ request: { request_options } })).toThrow('no requests of OpenID4VP')
  })

  it('is read unchanged if it has the current schema version', () => {
    expect(readDocument(PENDING)).toBe(PENDING)
  })

  it('keeps the stage request_fetched even if the fetched request was dropped', () => {
    expect([toStage(PENDING), toStage({ ...PENDING, generations: [] })]).toEqual([
      'request_fetched',
      'request_fetched',
    ])
  })

  it('is read unchanged if it is the tombstone of an erased session', () => {
    const tombstone = { schema: SCHEMA, erased: true, body_digest: 'digest', keep_until: 1 }
    expect(readDocument(tombstone)).toBe(tombstone)
  })

  it('is refused if it has another schema version, and the error names that version', () => {
    for (const schema of [0, 1, SCHEMA - 1, SCHEMA + 1, '1', null, undefined]) {
      expect(() => readDocument({ ...PENDING, schema })).toThrow(`unknown schema: ${schema}`)
    }
  })
})
