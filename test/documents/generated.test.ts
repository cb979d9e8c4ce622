// Generated parts of the documentation are current: `npm run generate` would change nothing.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GENERATED_PAGES, GENERATED_TABLES } from '../../scripts/documents/pages.ts'
import { REASON_ADVICE } from '../../scripts/documents/reason-advice.ts'

it.each(Object.entries(GENERATED_PAGES))(
  'the file %s is equal to its newly generated version',
  (path, made) => {
    expect(readFileSync(path, 'utf8')).toBe(made())
  },
)

it.each(Object.entries(GENERATED_TABLES))(
  'the tables in %s are equal to newly generated tables',
  (path, made) => {
    for (const table of made().split('\n\n')) expect(readFileSync(path, 'utf8')).toContain(`${table}\n`)
  },
)

describe('the advice for a self-signed signer', () => {
  it('says that haip-1.0 does not accept a self-signed certificate, even if it is pinned', () => {
    expect(REASON_ADVICE.self_signed_certificate).toMatch(/haip-1\.0.*pinned or not/)
  })
})

describe('the advice for an anchor that is the leaf of a chain', () => {
  it('names the settings x509_ca_pem and x509_certificate_pem', () => {
    expect(REASON_ADVICE.trust_anchor_in_chain).toMatch(/`x509_ca_pem`, pin it as `x509_certificate_pem`/)
  })
})
