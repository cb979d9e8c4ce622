import { describe, expect, it } from 'vitest'
import { readDocument, SCHEMA, toStage } from '../../src/session/document/document.ts'
import { requireRequestOptions } from '../../src/session/document/stored-request.ts'
import { PENDING } from './recorded-sessions.ts'

describe('a stored document', () => {
  it('makes `requireRequestOptions` throw if its OpenID4VP request options are null', () => {
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

  it('is refused if its schema version is not the current version, and the error names its version', () => {
    for (const schema of [0, 1, SCHEMA - 1, SCHEMA + 1, '1', null, undefined]) {
      expect(() => readDocument({ ...PENDING, schema })).toThrow(`unknown schema: ${schema}`)
    }
  })
})
