// Placeholders of `return_url` and `failure_return_url` (api/binding): which addresses can be filled, and
// with which values.

import { describe, expect, it } from 'vitest'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { hasPlaceholder, placeholderError, returnAddresses } from '../../../src/session/end/return-address.ts'

const ID = `v_${'A'.repeat(43)}`
const SHOP = 'https://shop.example'

const addressesOf = (return_url: string | null, failure_return_url?: string) =>
  returnAddresses({
    verification_id: ID,
    request: { return_url, ...(failure_return_url && { failure_return_url }) },
  } as SessionDocument)

describe('an address with placeholders', () => {
  it.each([
    '/done',
    '/{status}',
    '/done-{status}/{verification_id}',
    '/done?status={status}&id={verification_id}&again={status}',
    '?{status}',
    '/%7Bstatus%7D',
    '/{}{',
    // Without one of our placeholders, braces are ordinary text.
    '/{id}',
    '/{Status}',
    '/{return_code}?x={verification-id}',
    '/{constructor}',
    `/{id}/${'x'.repeat(2048)}`,
  ])('can be filled: %s', (path) => {
    expect(placeholderError(SHOP + path)).toBeUndefined()
  })

  it.each([
    ['/{Status}?s={status}', 'no other word in braces'],
    ['/{verification_id}?code={return_code}', 'no other word in braces'],
    ['/{status}?x={verification-id}', 'no other word in braces'],
    ['/{status}/{constructor}', 'no other word in braces'],
    ['{status}/', 'in the path or in the query'],
    ['.{verification_id}/', 'in the path or in the query'],
  ])('is refused if an unknown word is in braces, or if a placeholder is in the host: %s', (path, words) => {
    expect(placeholderError(SHOP + path)).toContain(words)
  })

  it('is refused if the filled address is longer than 2048 characters', () => {
    const start = `${SHOP}/?id={verification_id}&x=`
    const rest = 2048 - start.length - (ID.length - '{verification_id}'.length)
    expect(placeholderError(start + 'x'.repeat(rest))).toBeUndefined()
    expect(placeholderError(start + 'x'.repeat(rest + 1))).toContain('2048 characters')
  })
})

it('an address has a placeholder only if it contains {status} or {verification_id}', () => {
  const paths = ['/{status}', '/{id}/{verification_id}', '/{}', '/{id}', '/']
  expect(paths.map((path) => hasPlaceholder(SHOP + path))).toEqual([true, true, false, false, false])
})

describe('the addresses of a session', () => {
  it('are null without a return_url', () => {
    expect(addressesOf(null)).toBeNull()
  })

  it('have the status of the end and the id in place of the placeholders', () => {
    const at = (status: string) => `${SHOP}/${status}?id=${ID}&s=${status}`
    expect(addressesOf(`${SHOP}/{status}?id={verification_id}&s={status}`)).toEqual({
      verified: at('verified'),
      rejected: at('rejected'),
      declined: at('declined'),
      expired: at('expired'),
      canceled: at('canceled'),
    })
  })

  it('use failure_return_url for every end except verified', () => {
    const other = `${SHOP}/other`
    const failed = { rejected: other, declined: other, expired: other, canceled: other }
    expect(addressesOf(`${SHOP}/{status}`, other)).toEqual({ verified: `${SHOP}/verified`, ...failed })
  })

  it('keep words in braces that are not placeholders', () => {
    expect(addressesOf(`${SHOP}/{order}`)?.expired).toBe(`${SHOP}/{order}`)
    expect(addressesOf(`${SHOP}/{order}/{status}`)?.expired).toBe(`${SHOP}/{order}/expired`)
  })
})
