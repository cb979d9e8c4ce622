// The authorization response as it is posted (OpenID4VP 1.0 §8): `direct_post`, or encrypted as
// `direct_post.jwt`; JARM in the drafts.

import { CompactEncrypt, type CompactJWEHeaderParameters } from 'jose'
import { utf8 } from '../../src/codec/bytes.ts'
import { apply, type JweHeader, type Mistake } from './mistake.ts'
import type { RequestedCredential } from './query.ts'
import type { WalletRequest } from './request.ts'

/** A presentation and the requested credential it presents. */
export type Presentation = { readonly requested: RequestedCredential; readonly presentation: string }

/** A posted form. */
export type Form = Readonly<Record<string, string>>

type ResponseOptions = { readonly mistake: Partial<Mistake>; readonly mdocNonce: string }

/** Builds the form of a response. `undefined` if it cannot be encrypted as requested. */
export async function buildResponse(
  request: WalletRequest,
  presentations: readonly Presentation[],
  options: ResponseOptions,
): Promise<Form | undefined> {
  const { mistake } = options
  const { vp_token, ...others } = parametersOf(request, presentations)
  const correct = {
    vp_token: apply<unknown>(vp_token, mistake.vpToken),
    ...others,
    ...(request.state !== undefined && { state: request.state }),
  }
  const parameters: Readonly<Record<string, unknown>> = apply(correct, mistake.parameters)
  if (!request.encrypted || mistake.inTheClear) {
    const texts = Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    return apply<Form>(Object.fromEntries(texts), mistake.form)
  }
  const response = await encrypt(parameters, request, options)
  return response === undefined ? undefined : apply<Form>({ response }, mistake.form)
}

/** Builds the form of an error response, which is never encrypted (§8.3.1). */
export function buildError(error: string, { state }: WalletRequest, { form }: Partial<Mistake>): Form {
  const parameters = {
    error,
    error_description: 'from the test wallet',
    ...(state !== undefined && { state }),
  }
  return apply<Form>(parameters, form)
}

function parametersOf(request: WalletRequest, presentations: readonly Presentation[]) {
  if (request.presentationDefinition === undefined) {
    const byId = presentations.map(({ requested, presentation }) => [requested.id, [presentation]])
    return { vp_token: Object.fromEntries(byId) }
  }
  const texts = presentations.map(({ presentation }) => presentation)
  const isOne = texts.length === 1
  const descriptor_map = presentations.map(({ requested: { id, format, designation } }, index) => {
    const path = isOne ? '$' : `$[${index}]`
    if (format !== 'jwt_vc_json') return { id, format: designation, path }
    const path_nested = { id, format: designation, path: '$.vp.verifiableCredential[0]' }
    return { id, format: 'jwt_vp_json', path, path_nested }
  })
  return {
    vp_token: isOne ? texts[0] : texts,
    presentation_submission: {
      id: 'submission',
      definition_id: request.presentationDefinition.id,
      descriptor_map,
    },
  }
}

/**
 * §8.3. The wallet's nonce for the session transcript of an mdoc is sent as `apu` (ISO/IEC TS 18013-7 B.4.4).
 */
async function encrypt(
  parameters: object,
  { encryptionKey, contentEncryption, nonce }: WalletRequest,
  { mistake, mdocNonce }: ResponseOptions,
): Promise<string | undefined> {
  if (encryptionKey === undefined) return undefined
  const { kid, ...jwk } = encryptionKey
  const header: JweHeader = { alg: 'ECDH-ES', enc: contentEncryption, ...(kid !== undefined && { kid }) }
  const jwe = new CompactEncrypt(utf8(JSON.stringify(parameters)))
    .setProtectedHeader(apply(header, mistake.jwe) satisfies CompactJWEHeaderParameters)
    .setKeyManagementParameters({ apu: utf8(mdocNonce), apv: utf8(nonce) })
  try {
    return await jwe.encrypt(jwk)
  } catch {
    return undefined // an invalid key, or an unknown algorithm
  }
}
