// Anchors of the certificates of a list: what is decoded again, and how much is too much.

import { expect, it } from 'vitest'
import { anchorsOfList } from '../../../src/trust/lists/list-anchors.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'

const grant = { type: 'issuer', credential_types: ['pid'], assurance_level: 'high' } as const
const listed = (certificate: Uint8Array<ArrayBuffer> | undefined) => ({ service: 'issuer', certificate })
/** Bytes that are no certificate, and differ by their number. */
const broken = (i: number) => listed(new Uint8Array([0x30, i >> 8, i & 0xff]))
const many = (count: number) => Array.from({ length: count }, (_, i) => broken(i))

it('a repeated certificate gives one anchor, but leftOut counts a repeated invalid certificate each time', async () => {
  const { root } = await mintIssuerPki()
  const entries = [listed(root.der), broken(1), listed(root.der), broken(1), listed(undefined)]
  const found = anchorsOfList(entries, [grant])
  expect(found.ok && [found.value.anchors.length, found.value.leftOut]).toEqual([1, 3])
  const twice = anchorsOfList(entries, [grant, { ...grant, assurance_level: 'low' }])
  expect(twice.ok && [twice.value.anchors.length, twice.value.leftOut]).toEqual([2, 6])
})

it('a list is too_large if the number of different certificates, multiplied by the number of grants, exceeds 2,000', () => {
  expect(anchorsOfList(many(2000), [grant])).toEqual({ ok: true, value: { anchors: [], leftOut: 2000 } })
  expect(anchorsOfList(many(2001), [grant])).toEqual({ ok: false, error: 'too_large' })
  expect(anchorsOfList(many(1001), [grant, { ...grant }])).toEqual({ ok: false, error: 'too_large' })
  const again = [...many(2000), ...many(2000)]
  expect(anchorsOfList(again, [grant])).toEqual({ ok: true, value: { anchors: [], leftOut: 4000 } })
})
