// api/request, by value: a bridge passes the request of the relying party's view to a lenient wallet. Its
// response is accepted if the relying party's settings allow it. Each refusal changes one thing of a good
// response, which is accepted afterwards.

import { beforeAll, expect, it } from 'vitest'
import { JWT_VC_AGE, jwtVcOf, makeJwtVcPerson } from '../../support/people/jwt-vc-person.ts'
import { MDOC_AGE, type MdocPerson, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import { AGE, PID, presentationOf, type Telling } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import {
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
} from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { confirming, PAYMENT } from '../../support/service/transaction-data.ts'

const stage = useStage()
let mdocPerson: MdocPerson
beforeAll(async () => {
  mdocPerson = await makeMdocPerson()
})

/** `authorization_request` of the view: the members that a lenient wallet reads. */
type ViewedRequest = {
  readonly client_id: string
  readonly redirect_uri: string
  readonly nonce: string
  readonly presentation_definition: {
    readonly id: string
    readonly input_descriptors: readonly { readonly id: string; readonly name: string }[]
  }
}

async function view(
  { verification_id }: CreatedSession,
  rp: RelyingParty = stage.rp,
): Promise<ViewedRequest> {
  const response = await rp.call('GET', `/v1/verify/${verification_id}/openid4vp`)
  return ((await expectStatus(response, 200)) as { authorization_request: ViewedRequest })
    .authorization_request
}

/** Returns the view as the wallet's request. */
function requestOf({ client_id, nonce, redirect_uri }: ViewedRequest): ReceivedRequest {
  return { payload: { client_id, nonce, response_uri: redirect_uri, client_metadata: {} } } as never
}

type Form = Record<string, string>

/** Returns a good response: the age attestation, with its place in the definition. */
async function responseTo(shown: ViewedRequest, telling: Telling = {}, format = 'vc+sd-jwt'): Promise<Form> {
  const { id, input_descriptors } = shown.presentation_definition
  const vp_token = await presentationOf(stage.person, AGE, requestOf(shown), telling)
  const descriptor_map = [{ id: input_descriptors[0]?.id, format, path: '$' }]
  return { vp_token, presentation_submission: JSON.stringify({ id: 's', definition_id: id, descriptor_map }) }
}

function post({ redirect_uri }: ViewedRequest, form: Form): Promise<Response> {
  return stage.service.fetch(redirect_uri, { method: 'POST', body: new URLSearchParams(form) })
}

async function stateOf({ verification_id }: CreatedSession, rp: RelyingParty = stage.rp) {
  const { status, attempts, channel } = await rp.poll(verification_id)
  return { status, reason: attempts.at(-1)?.reason.code, channel }
}

it.each([
  ['openid4vp-1.0', 'vc+sd-jwt', 'direct_post.jwt'],
  ['openid4vp-1.0', 'dc+sd-jwt', 'direct_post'],
  ['openid4vp-draft24', 'vc+sd-jwt', 'direct_post.jwt'],
  ['openid4vp-draft18', 'vc+sd-jwt', 'direct_post'],
])(
  'api/request: the service verifies a response to a request by value that the OpenID4VP view shows: %s, format %s, response mode %s',
  async (protocol, format, response_mode) => {
    const session = await stage.rp.create({ ...OVER_18, protocol, request_options: { response_mode } })
    const shown = await view(session)
    const { redirect_uri } = (await expectStatus(
      await post(shown, await responseTo(shown, {}, format)),
      200,
    )) as {
      redirect_uri: string
    }
    expect(redirect_uri).toMatch(/#response_code=/)
    expect(await stage.rp.poll(session.verification_id)).toMatchObject({
      status: 'verified',
      channel: 'by_value',
      session_binding: 'none',
      assurance_level: 'low',
      checks: { age_over_18: true },
    })
  },
)

it('api/request: the service verifies a response with a credential of one of several requested types', async () => {
  const session = await stage.rp.create({
    credential_types: ['pid', 'age_attestation'],
    scope: ['age_over_18'],
  })
  const shown = await view(session)
  const { id, input_descriptors } = shown.presentation_definition
  const descriptor = input_descriptors.find(({ name }) => name === 'age_attestation')
  const vp_token = JSON.stringify([await presentationOf(stage.person, AGE, requestOf(shown))])
  const descriptor_map = [{ id: descriptor?.id, format: 'vc+sd-jwt', path: '$[0]' }]
  const presentation_submission = JSON.stringify({ id: 's', definition_id: id, descriptor_map })
  await expectStatus(await post(shown, { vp_token, presentation_submission }), 200)
  const poll = await stage.rp.poll(session.verification_id)
  expect([poll.status, poll.credential_type]).toEqual(['verified', 'age_attestation'])
})

it('OpenID4VP 1.0 §8.4: the service refuses a response to the OpenID4VP view without a confirmation of the transaction, and accepts a response with the confirmation', async () => {
  const asked = { ...OVER_18, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }
  const session = await stage.rp.create(asked)
  const shown = await view(session)
  expect((await post(shown, await responseTo(shown))).status).toBe(400)
  expect(await stateOf(session)).toMatchObject({ status: 'pending', reason: 'transaction_data_missing' })
  const keyBinding = confirming({ payload: session.wallet_request } as never)
  await expectStatus(await post(shown, await responseTo(shown, { keyBinding })), 200)
  expect(await stateOf(session)).toMatchObject({ status: 'verified', channel: 'by_value' })
})

function submission(change: (map: Record<string, unknown>, whole: Record<string, unknown>) => unknown) {
  return (form: Form): Form => {
    const whole = JSON.parse(form.presentation_submission ?? '{}')
    change(whole.descriptor_map[0], whole)
    return { ...form, presentation_submission: JSON.stringify(whole) }
  }
}

/** Name of the error, change of the response, and reason of the refusal. */
const REFUSED: readonly (readonly [string, Telling, (form: Form) => Form, string])[] = [
  ['made for another nonce', { nonce: 'a'.repeat(32) }, (form) => form, 'nonce_mismatch'],
  ['made for another verifier', { audience: 'https://other.example' }, (form) => form, 'audience_mismatch'],
  [
    'made for the signed request’s client_id',
    { audience: 'x509_san_dns:verifier.example' },
    (form) => form,
    'audience_mismatch',
  ],
  [
    'without its key binding',
    { change: (parts) => void Object.assign(parts, { kb: undefined }) },
    (form) => form,
    'nonce_mismatch',
  ],
  ['with a state', {}, (form) => ({ ...form, state: 'state' }), 'encryption_required'],
  ['without a submission', {}, ({ vp_token = '' }) => ({ vp_token }), 'encryption_required'],
  [
    'for another definition',
    {},
    submission((_, whole) => Object.assign(whole, { definition_id: 'pd' })),
    'invalid_presentation_submission',
  ],
  [
    'for an unknown descriptor',
    {},
    submission((map) => Object.assign(map, { id: 'other' })),
    'unknown_credential_query',
  ],
  [
    'in a format that was not requested',
    {},
    submission((map) => Object.assign(map, { format: 'ldp_vp' })),
    'unknown_credential_query',
  ],
  [
    'with the format mso_mdoc',
    {},
    submission((map) => Object.assign(map, { format: 'mso_mdoc' })),
    'unknown_credential_query',
  ],
  [
    'whose path leads to no value',
    {},
    submission((map) => Object.assign(map, { path: '$[0]' })),
    'invalid_vp_token',
  ],
  [
    'whose path is a script',
    {},
    submission((map) => Object.assign(map, { path: '$[(@.length-1)]' })),
    'invalid_vp_token',
  ],
  ['without a path', {}, submission((map) => delete map.path), 'invalid_presentation_submission'],
  [
    'with an empty map',
    {},
    submission((_, whole) => Object.assign(whole, { descriptor_map: [] })),
    'invalid_presentation_submission',
  ],
  [
    'that names one descriptor twice',
    {},
    submission((map, whole) => Object.assign(whole, { descriptor_map: [map, map] })),
    'wrong_presentation_count',
  ],
  [
    'with 21 entries in descriptor_map',
    {},
    submission((map, whole) => Object.assign(whole, { descriptor_map: Array(21).fill(map) })),
    'limit_exceeded',
  ],
  [
    'whose submission is not JSON',
    {},
    (form) => ({ ...form, presentation_submission: '{' }),
    'invalid_presentation_submission',
  ],
]

it.each(REFUSED)(
  'api/request: the service refuses a response %s, and accepts a good response afterwards',
  async (_, telling, change, reason) => {
    const session = await stage.rp.create()
    const shown = await view(session)
    expect((await post(shown, change(await responseTo(shown, telling)))).status).toBe(400)
    expect(await stateOf(session)).toMatchObject({ status: 'pending', reason })
    await expectStatus(await post(shown, await responseTo(shown)), 200)
    expect((await stateOf(session)).status).toBe('verified')
  },
)

it('api/request: the service refuses a credential of a type that was not requested', async () => {
  const session = await stage.rp.create()
  const shown = await view(session)
  const vp_token = await presentationOf(stage.person, PID, requestOf(shown))
  expect((await post(shown, { ...(await responseTo(shown)), vp_token })).status).toBe(400)
  expect(await stateOf(session)).toMatchObject({ status: 'pending', reason: 'query_not_satisfied' })
})

it('api/request: the service never accepts an mdoc in response to a request by value', async () => {
  const anchors = [stage.authority.anchor(), mdocPerson.anchor({ name: 'IACA' })]
  const rp = await relyingPartyOf(stage, { trust_anchors: anchors })
  const session = await rp.create()
  const shown = await view(session, rp)
  const nameSpaces = { [MDOC_AGE]: { age_over_18: true } }
  const vp_token = await mdocOf(mdocPerson, MDOC_AGE, nameSpaces, requestOf(shown))
  const answer = submission((map) => Object.assign(map, { format: 'mso_mdoc' }))(await responseTo(shown))
  expect((await post(shown, { ...answer, vp_token })).status).toBe(400)
  expect(await stateOf(session, rp)).toMatchObject({ status: 'pending', reason: 'unknown_credential_query' })
})

it.each([
  ['the settings do not allow it', { by_value: false }, {}],
  ['the protocol is HAIP', {}, { protocol: 'haip-1.0' }],
  ['the session requires a higher level than low', {}, { required_assurance_level: 'substantial' }],
])('api/request: the service refuses a response by value if %s', async (_, settings, policy) => {
  const rp = await relyingPartyOf(stage, settings)
  const session = await rp.create({ ...OVER_18, ...policy })
  const shown = await view(session, rp)
  expect((await post(shown, await responseTo(shown))).status).toBe(400)
  expect(await stateOf(session, rp)).toMatchObject({ status: 'pending', reason: 'encryption_required' })
})

it('api/request: the service refuses a response by value if nobody read the OpenID4VP view of its request', async () => {
  const session = await stage.rp.create()
  const { payload } = await stage.service.wallet.receive(session.wallet_request.uri)
  const id = session.verification_id
  const shown: ViewedRequest = {
    client_id: 'https://verifier.example',
    redirect_uri: payload.response_uri,
    nonce: payload.nonce,
    presentation_definition: {
      id: `pd_${id}`,
      input_descriptors: [{ id: `descriptor_${id}`, name: 'age_attestation' }],
    },
  }
  expect((await post(shown, await responseTo(shown))).status).toBe(400)
  expect(await stateOf(session)).toMatchObject({ status: 'pending', reason: 'encryption_required' })
  expect((await view(session)).nonce).toBe(payload.nonce)
  await expectStatus(await post(shown, await responseTo(shown)), 200)
})

it('api/request: the service accepts a W3C credential in a VP in response to a request by value', async () => {
  const jwtVcPerson = await makeJwtVcPerson()
  const rp = await relyingPartyOf(stage, { trust_anchors: [jwtVcPerson.anchor()] })
  const session = await rp.create({ ...OVER_18, formats: ['jwt_vc_json'] })
  const shown = await view(session, rp)
  const vp_token = await jwtVcOf(jwtVcPerson, JWT_VC_AGE, { age_over_18: true }, requestOf(shown))
  const path_nested = { format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' }
  const nested = submission((map) => Object.assign(map, { format: 'jwt_vp_json', path_nested }))
  await expectStatus(await post(shown, { ...nested(await responseTo(shown)), vp_token }), 200)
  const poll = await rp.poll(session.verification_id)
  expect([poll.status, poll.format, poll.channel]).toEqual(['verified', 'jwt_vc_json', 'by_value'])
})
