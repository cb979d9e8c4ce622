// The age verification app of the EU on iOS. Its public source is older than the live app, so this follows
// the specification of both apps: Annex C, or `av://` with one unsigned request in the link.

import { answerOneDocument, receiveDeviceRequest } from '../annex-c.ts'
import { hasClaim, hasType } from '../dcql.ts'
import { SILENT } from '../documented.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'
import { type Payload, parametersOf } from '../request-object.ts'
import { postForm, presentAll } from '../responding.ts'

const TYPE = 'eu.europa.ec.av.1'

export const euAgeIos: FakeWallet = fakeWallet({
  id: 'eu-age-ios',
  source: {
    repository: 'eu-digital-identity-wallet/av-doc-technical-specification',
    commit: 'fd09d9e4ead77099bb5c8293fe835a0ecd0e6fca',
    files: ['docs/annexes/annex-A/annex-A-av-profile.md'],
  },
  read: '2026-11-22',
  silent: ['dcql'],
  answer: async (invocation, { holdings, ...surroundings }) => {
    const held = holdings.filter(({ format, type }) => format === 'mso_mdoc' && type === TYPE)
    if ('digital' in invocation) {
      return answerOneDocument(receiveDeviceRequest(invocation.digital, invocation.origin), held)
    }
    const payload = parse(invocation.link)
    const { credentials, credential_sets: sets } = payload.dcql_query
    const [query] = credentials
    if (query === undefined || credentials.length > 1) return refuse(`${SILENT}several queries`)
    refuseUnless(
      sets === undefined && query.claim_sets === undefined,
      `${SILENT}credential_sets and claim_sets`,
    )
    refuseUnless(query.format === 'mso_mdoc', 'the format is not mso_mdoc')
    const { claims = [] } = query
    refuseUnless(claims.length > 0, `${SILENT}queries without claims`)
    const holding = held.find((one) => hasType(one, query) && claims.every((claim) => hasClaim(one, claim)))
    if (holding === undefined) return refuse('no document with the requested elements')
    const choice = { id: query.id, holding, paths: claims.map(({ path }) => path) }
    const { vp_token, disclosed } = await presentAll([choice], { payload, key: undefined })
    const state = payload.state === undefined ? {} : { state: payload.state }
    const form = { vp_token: JSON.stringify(vp_token), ...state }
    return { disclosed, response: await postForm({ ...surroundings, holdings }, payload.response_uri, form) }
  },
})

/** Annex A of the specification: what each parameter must be. */
function parse(link: string): Payload {
  refuseUnless(new URL(link).protocol === 'av:', 'the scheme is not av')
  const parameters = parametersOf(link)
  refuseUnless(parameters.request_uri === undefined, 'the request is not in the link')
  refuseUnless(parameters.response_type === 'vp_token', 'response_type is not vp_token')
  refuseUnless(parameters.response_mode === 'direct_post', 'response_mode is not direct_post')
  const isNamed = parameters.client_id === `redirect_uri:${parameters.response_uri}`
  refuseUnless(isNamed, 'client_id is not redirect_uri: and the response_uri')
  refuseUnless(parameters.nonce !== undefined, 'nonce is missing')
  return {
    ...parameters,
    dcql_query: JSON.parse(parameters.dcql_query ?? '{"credentials":[]}'),
  } as unknown as Payload
}
