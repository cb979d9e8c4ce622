// A presentation on the way of `org-iso-mdoc`: sealed by a foreign HPKE, opened, split and verified by ours.
// Its device signs the session transcript of Annex C.

import { decodeBase64url } from '../../../src/codec/base64url.ts'
import { openHpke } from '../../../src/crypto/hpke.ts'
import type { PrivateJwk } from '../../../src/crypto/jwk.ts'
import { buildDcApiTranscript } from '../../../src/formats/mdoc/session-transcript.ts'
import type { RequestBinding } from '../../../src/formats/verification/format.ts'
import { parseDocuments } from '../../../src/iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../../../src/iso18013-7/encrypted-response.ts'
import { buildEncryptionInfo } from '../../../src/iso18013-7/encryption-info.ts'
import { mdocOfAnnexC } from '../../../src/iso18013-7/format.ts'
import { documentQuery } from '../../../src/openid4vp/dcql/document-query.ts'
import { sealAnnexC, transcriptOf } from '../../support/people/annex-c-wallet.ts'
import { type Verification, verifyTraced } from '../contract.ts'
import { CONTEXT, EXPECTED, MAKING, MDL, NAME_SPACE, READER } from './good.ts'
import { type Changes, type Making, makeDeviceResponse, makeTranscript, type Value } from './maker.ts'

const ORIGIN = 'https://shop.example'
const KEY = READER.export({ format: 'jwk' }) as unknown as Required<PrivateJwk>
const NONCE = Buffer.alloc(32, 5).toString('base64url')
const encryptionInfo = buildEncryptionInfo({ ...KEY, nonce: NONCE })

const QUERY = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: MDL },
      claims: [{ path: [NAME_SPACE, 'age_over_18'] }],
    },
  ],
}
const DOCUMENTS = documentQuery(QUERY)

const EXPECTED_HERE: RequestBinding = {
  ...EXPECTED,
  handover: { kind: 'iso_dc_api', origin: ORIGIN, encryptionInfo, encryptionKey: KEY },
}

/** Verifies, or returns the reason of a response that is refused as a whole. */
export async function verifyOverAnnexC(
  changes: Changes,
  making: Partial<Making> = {},
): Promise<Verification | string> {
  const transcript = makeTranscript([encryptionInfo, ORIGIN], 'dcapi') as Value
  const presentation = makeDeviceResponse({ ...MAKING, transcript, ...making }, changes)
  const { d: _, ...recipient } = KEY
  const receiver = { transcript: transcriptOf(encryptionInfo, ORIGIN), recipient }
  const sealed = await sealAnnexC(receiver, decodeBase64url(presentation) ?? new Uint8Array())
  const message = parseEncryptedResponse(sealed.data)
  if (!message.ok) return message.error.reason
  const info = await buildDcApiTranscript({ encryptionInfo, origin: ORIGIN })
  const opened = await openHpke(message.value, KEY, { info })
  if (opened === undefined || DOCUMENTS === undefined) throw new Error('the response does not open')
  const parsed = parseDocuments(opened, QUERY, DOCUMENTS)
  if (!parsed.ok) return parsed.error.reason
  const [only = ''] = parsed.value.groups.flatMap(({ presentations }) => presentations)
  return verifyTraced(mdocOfAnnexC, only, EXPECTED_HERE, CONTEXT)
}
