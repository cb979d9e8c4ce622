// Status lists that the caller gives in the place of the network.

import { utf8 } from '../../../../src/codec/bytes.ts'
import type { FetchedCopy } from '../../../../src/net/guarded-fetch.ts'
import { mediaType } from '../../../../src/net/recorded-fetch.ts'
import { BITSTRING_STATUS_LIST } from '../../../../src/trust/status/bitstring-status-token.ts'
import { IDENTIFIER_LIST_CWT } from '../../../../src/trust/status/identifier-list.ts'
import { STATUS_LIST_CWT } from '../../../../src/trust/status/status-cwt.ts'
import { STATUS_LIST_JWT } from '../../../../src/trust/status/status-jwt.ts'
import { UnreadableInputError } from '../report.ts'
import { type Bytes, readSource } from '../source.ts'

/** A list as if it had been fetched, and the certificates of its signer. */
export type GivenList = { readonly copy: FetchedCopy; readonly chain: readonly Bytes[] | undefined }

const FORMS = [STATUS_LIST_JWT, BITSTRING_STATUS_LIST, STATUS_LIST_CWT, IDENTIFIER_LIST_CWT]

/** Reads a status list. Its own `sub` is its address. Throws `UnreadableInputError`. */
export function readStatusList(input: string | Uint8Array, now: number): GivenList {
  const source = readSource(input)
  const bodies = [source.kind === 'text' ? utf8(source.text) : undefined, source.bytes]
  for (const body of bodies) {
    for (const { decode, accept } of FORMS) {
      const list = body && decode(body)
      if (body === undefined || !list?.ok || list.value.claims.sub === undefined) continue
      const { claims, signer } = list.value
      const copy = { url: claims.sub ?? '', media_type: mediaType(accept), body, fetched_at: now }
      return { copy, chain: signer.chain }
    }
  }
  throw new UnreadableInputError('a status list has another form, or does not name its address')
}
