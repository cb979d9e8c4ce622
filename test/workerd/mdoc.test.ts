// The same mdocs inside workerd, whose WebCrypto is another than node's.

import { describe, expect, inject, it } from 'vitest'
import { mdoc } from '../../src/formats/mdoc/mdoc.ts'
import type { Context } from '../../src/formats/verification/format.ts'
import type { MdocInWorkerd } from './mdocs.ts'

const expected = inject('mdocExpected')

async function verifyGood(presentation: string, { anchor }: MdocInWorkerd) {
  const context: Context = {
    now: expected.requestedAt + 20,
    anchors: [anchor],
    typeOf: () => ({ name: 'mdl', builtIn: true }),
    fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
    trace: () => undefined,
  }
  return mdoc.verify(presentation, expected, context)
}

describe.each(inject('mdocs'))('inside workerd, an mdoc by $name', (made) => {
  it('verifies', async () => {
    expect(await verifyGood(made.good, made)).toMatchObject({ ok: true, value: { holderBound: true } })
  })

  it('is refused if one bit of its issuer or device proof is changed', async () => {
    const [presentation, reason] = made.forged
    expect(await verifyGood(presentation, made)).toEqual({ ok: false, error: { reason } })
  })
})
