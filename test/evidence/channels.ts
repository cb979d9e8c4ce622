// Evidence of the other channels and formats: the Digital Credentials API with OpenID4VP and with Annex C, a
// response by value, and jwt_vc_json.

import { createHash } from 'node:crypto'
import { GeneralSign, importJWK } from 'jose'
import { decodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import type { PrivateJwk } from '../../src/crypto/jwk.ts'
import type { EvidenceInput } from '../../src/evidence/container/input.ts'
import { buildDcApiTranscript } from '../../src/formats/mdoc/session-transcript.ts'
import { buildDeviceRequest, deviceRequestHash } from '../../src/iso18013-7/device-request.ts'
import { buildEncryptionInfo } from '../../src/iso18013-7/encryption-info.ts'
import { documentQuery } from '../../src/openid4vp/dcql/document-query.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { hashJson } from '../../src/session/request/request-hash.ts'
import * as jwtVc from '../formats/jwt-vc-json/good.ts'
import * as mdl from '../formats/mdoc/good.ts'
import { makeDeviceResponse, makeTranscript, type Value } from '../formats/mdoc/maker.ts'
import * as pid from '../formats/sd-jwt-vc/good.ts'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { sealAnnexC, transcriptOf } from '../support/people/annex-c-wallet.ts'
import {
  CLIENT_ID,
  encryptTo,
  MDL_QUERY,
  MDL_SCOPE,
  makeCase,
  NOW,
  PID_QUERY,
  PID_SCOPE,
  RESPONSE_KEY,
  unsignedClaims,
} from './cases.ts'

const ORIGIN = 'https://shop.example'
const { nonce } = mdl.EXPECTED

const IN_BROWSER = {
  channel: 'dc_api',
  client_id: null,
  state: null,
  audience: `origin:${ORIGIN}`,
  handover: { kind: 'dc_api', origin: ORIGIN },
  response_mode: 'dc_api',
} as const

/** An age check on a page, with an unsigned request. */
export async function overDcApi(): Promise<EvidenceInput> {
  const audience = `origin:${ORIGIN}`
  const presentation = await pid.presentGood(await pid.issueGood(), { audience })
  const parameters = unsignedClaims({ nonce, query: PID_QUERY })
  const way = {
    session: { ...IN_BROWSER, response_mode: 'dc_api.jwt' },
    request: { kind: 'unsigned', parameters },
    response: await encryptTo({ vp_token: { pid: [presentation] } }),
    requestHash: await hashJson(parameters),
  } as const
  const parts = { query: PID_QUERY, type: 'pid', scope: PID_SCOPE, anchors: [pid.ANCHOR] }
  return makeCase({ ...parts, presentation, way })
}

/** Makes an identity that signs requests. */
async function makeIdentity() {
  const leaf = await mintLeaf(await mintRoot())
  return { leaf, clientId: `x509_hash:${createHash('sha256').update(leaf.der).digest('base64url')}` }
}

/** An age check on a page, whose request two identities signed. `google`: with metadata for Google Wallet. */
export async function asSeveral(google = false): Promise<EvidenceInput> {
  const identities = await Promise.all([makeIdentity(), makeIdentity()])
  const offered_client_ids = identities.map(({ clientId }) => clientId)
  const claims = { ...unsignedClaims({ nonce, query: PID_QUERY }), expected_origins: [ORIGIN] }
  const client_metadata = { ...claims.client_metadata, ...(google && { gw_rp_metadata_bytes: 'e30' }) }
  const payload = { ...claims, client_metadata, iat: NOW - 10, exp: NOW + 290 }
  const jws = new GeneralSign(utf8(JSON.stringify(payload)))
  for (const { leaf, clientId } of identities) {
    const header = { alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: [leaf.x5c], client_id: clientId }
    jws.addSignature(await importJWK(leaf.privateJwk as never, 'ES256')).setProtectedHeader(header)
  }
  const audience = `origin:${ORIGIN}`
  const [client_id] = offered_client_ids
  const made = await makeCase({
    ...{ query: PID_QUERY, type: 'pid', scope: PID_SCOPE, anchors: [pid.ANCHOR] },
    presentation: await pid.presentGood(await pid.issueGood(), { audience }),
    way: {
      session: { ...IN_BROWSER, client_id: client_id ?? null },
      request: { kind: 'multi_signed', request: (await jws.sign()) as never },
      response: null,
      requestHash: await hashJson({ ...claims, client_id: client_id ?? null }),
    },
  })
  return { ...made, receipt: { ...made.receipt, offered_client_ids } }
}

/** An age check on a page, with the protocol `org-iso-mdoc`. */
export async function overAnnexC(): Promise<EvidenceInput> {
  const { d: _, ...recipient } = RESPONSE_KEY as Required<PrivateJwk>
  const annexCNonce = Buffer.alloc(32, 5).toString('base64url')
  const encryptionInfo = buildEncryptionInfo({ ...recipient, nonce: annexCNonce })
  const signed = makeTranscript([encryptionInfo, ORIGIN], 'dcapi') as Value
  const presentation = makeDeviceResponse({ ...mdl.MAKING, transcript: signed }, {})
  const receiver = { transcript: transcriptOf(encryptionInfo, ORIGIN), recipient }
  const sealed = await sealAnnexC(receiver, bytesOf(presentation))
  const transcript = await buildDcApiTranscript({ encryptionInfo, origin: ORIGIN })
  const documents = documentQuery(MDL_QUERY)
  if (documents === undefined) throw new Error('Annex C cannot express the query')
  const way = {
    session: {
      annex_c: true,
      channel: 'dc_api',
      client_id: null,
      state: null,
      nonce: annexCNonce,
      audience: `origin:${ORIGIN}`,
      handover: { kind: 'iso_dc_api', origin: ORIGIN, encryptionInfo },
      response_mode: null,
    },
    request: {
      kind: 'annex_c',
      deviceRequest: bytesOf(await buildDeviceRequest(documents, transcript, { readers: [] })),
      encryptionInfo: bytesOf(encryptionInfo),
    },
    response: sealed.data.response,
    requestHash: await deviceRequestHash(documents, transcript),
  } as const
  const parts = { query: MDL_QUERY, type: 'mdl', scope: MDL_SCOPE, anchors: [mdl.ANCHOR] }
  return makeCase({ ...parts, presentation, way })
}

/** An age check whose response came in the clear, for the relying party's own view of the request. */
export async function byValue(): Promise<EvidenceInput> {
  const presentation = await pid.presentGood(await pid.issueGood(), { audience: CLIENT_ID })
  const { client_metadata: _, ...parameters } = unsignedClaims({ nonce, query: PID_QUERY })
  const way = {
    session: { channel: 'by_value', response_mode: 'direct_post' },
    request: { kind: 'unsigned', parameters },
    response: null,
    requestHash: await hashJson(parameters),
  } as const
  const parts = { query: PID_QUERY, type: 'pid', scope: PID_SCOPE, anchors: [pid.ANCHOR] }
  const made = await makeCase({ ...parts, presentation, way })
  return { ...made, missing: [{ what: 'request', reason: 'by_value' }] }
}

const JWT_VC_QUERY: DcqlQuery = {
  credentials: [
    {
      id: 'pid',
      format: 'jwt_vc_json',
      meta: { type_values: [['VerifiableCredential', jwtVc.TYPE]] },
      claims: [{ path: ['credentialSubject', 'age_over_18'] }],
    },
  ],
}

/** An age check with a credential of the format jwt_vc_json. */
export async function asJwtVc(): Promise<EvidenceInput> {
  const credential = { content: { credentialSubject: { age_over_18: true } } }
  const presentation = await jwtVc.presentOf(credential, { claims: { aud: CLIENT_ID } })
  const scope = { scope: 'age_over_18', path: ['credentialSubject', 'age_over_18'] } as const
  const anchors = [jwtVc.ANCHOR]
  return makeCase({ query: JWT_VC_QUERY, type: 'pid', scope, anchors, presentation })
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64url(text) ?? new Uint8Array()
}
