// The answer as it is posted (OpenID4VP 1.0 §8): `direct_post`, or encrypted as `direct_post.jwt` has it in 1.0 and JARM in the drafts.

import { CompactEncrypt, type CompactJWEHeaderParameters } from 'jose'
import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { changed, type Flaw, type JweHeader } from './flaw.ts'
import type { Wanted } from './query.ts'
import type { WalletRequest } from './request.ts'

/** A presentation and what it answers. */
export type Presented = { readonly wanted: Wanted; readonly presentation: string }

/** A form, as it is posted. */
export type Form = Readonly<Record<string, string>>

/** The form of an answer with these presentations; `undefined` where it cannot be encrypted as the request asks. */
export async function buildAnswer(
  request: WalletRequest,
  presented: readonly Presented[],
  how: { readonly flaw: Partial<Flaw>; readonly mdocNonce: string },
): Promise<Form | undefined> {
  const { flaw } = how
  const { vp_token, ...others } = parametersOf(request, presented)
  const parameters = {
    vp_token: changed<unknown>(vp_token, flaw.vpToken),
    ...others,
    ...(request.state !== undefined && { state: request.state }),
  }
  return finish(changed(parameters, flaw.parameters), request, how)
}

/** The form of an answer that is an error. It goes in the clear (§8.3.1). */
export function buildError(error: string, { state }: WalletRequest, { form }: Partial<Flaw>): Form {
  const parameters = {
    error,
    error_description: 'from the test wallet',
    ...(state !== undefined && { state }),
  }
  return changed<Form>(parameters, form)
}

function parametersOf(request: WalletRequest, presented: readonly Presented[]) {
  if (request.presentationDefinition === undefined) {
    return { vp_token: Object.fromEntries(presented.map((one) => [one.wanted.id, [one.presentation]])) }
  }
  const presentations = presented.map(({ presentation }) => presentation)
  const isOne = presentations.length === 1
  const descriptor_map = presented.map(({ wanted: { id, format, designation } }, index) => {
    const path = isOne ? '$' : `$[${index}]`
    if (format !== 'jwt_vc_json') return { id, format: designation, path }
    const path_nested = { id, format: designation, path: '$.vp.verifiableCredential[0]' }
    return { id, format: 'jwt_vp_json', path, path_nested }
  })
  return {
    vp_token: isOne ? presentations[0] : presentations,
    presentation_submission: {
      id: 'submission',
      definition_id: request.presentationDefinition.id,
      descriptor_map,
    },
  }
}

async function finish(
  parameters: Readonly<Record<string, unknown>>,
  request: WalletRequest,
  { flaw, mdocNonce }: { readonly flaw: Partial<Flaw>; readonly mdocNonce: string },
): Promise<Form | undefined> {
  if (!request.encrypted || flaw.inTheClear) {
    const texts = Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    return changed<Form>(Object.fromEntries(texts), flaw.form)
  }
  const response = await encrypt(parameters, request, { flaw, mdocNonce })
  return response === undefined ? undefined : changed<Form>({ response }, flaw.form)
}

/** §8.3; the wallet's nonce for an mdoc's session travels as `apu` (ISO/IEC TS 18013-7 B.4.4). */
async function encrypt(
  parameters: object,
  { encryptionKey, contentEncryption, nonce }: WalletRequest,
  { flaw, mdocNonce }: { readonly flaw: Partial<Flaw>; readonly mdocNonce: string },
): Promise<string | undefined> {
  if (encryptionKey === undefined) return undefined
  const { kid, ...jwk } = encryptionKey
  const header: JweHeader = { alg: 'ECDH-ES', enc: contentEncryption, ...(kid !== undefined && { kid }) }
  const jwe = new CompactEncrypt(utf8(JSON.stringify(parameters)))
    .setProtectedHeader(changed(header, flaw.jwe) satisfies CompactJWEHeaderParameters)
    .setKeyManagementParameters({ apu: utf8(mdocNonce), apv: utf8(nonce) })
  try {
    return await jwe.encrypt(jwk)
  } catch {
    return undefined // a key that is none, or an encryption that nobody has
  }
}

/** Fresh, for one answer. */
export function makeMdocNonce(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
