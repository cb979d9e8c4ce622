// Sessions that wait for a response, and a good response to each: every combination of protocol, channel,
// format and encryption. Foreign libraries make requests readable, and create the credentials.

import { randomBytes } from 'node:crypto'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { type IssuerPki, mintIssuerPki, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { deviceResponseFor } from '../../support/people/annex-c-person.ts'
import { receiveAnnexC, sealAnnexC } from '../../support/people/annex-c-wallet.ts'
import { type Attester, makeAttester } from '../../support/people/attester.ts'
import { receiveDigital } from '../../support/people/dc-api-wallet.ts'
import type { KeyPair } from '../../support/people/issuer.ts'
import { JWT_VC_AGE, jwtVcOf, makeJwtVcPerson } from '../../support/people/jwt-vc-person.ts'
import { MDOC_AGE, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import {
  AGE,
  type Authority,
  certified,
  makeAuthority,
  makePerson,
  presentationOf,
  queryFor,
} from '../../support/people/person.ts'
import { createWallet, type ReceivedRequest, responseOf } from '../../support/people/wallet.ts'
import { type Cell, POSSIBLE } from '../../support/service/cells.ts'
import {
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
  type Service,
} from '../../support/service/service.ts'
import { type Parameters, presentationContent } from './content.ts'

export const ORIGIN = 'https://shop.example'

/** Combinations of mutated responses, without links: a success by a link waits for its browser. */
export const COMBINATIONS = [
  ...Map.groupBy(
    POSSIBLE.filter(({ channel }) => channel !== 'link'),
    ({ protocol, channel, format, response }) => [protocol, channel, format, response].join(' '),
  ),
].map(([name, cells]) => ({ name, cells }))

/** Holders and issuers of all formats. */
export type People = Awaited<ReturnType<typeof makePeople>>

export async function makePeople() {
  const authority = await makeAuthority()
  const [person, pki, mdocPerson, jwtVcPerson, root, attester] = await Promise.all([
    makePerson(authority),
    mintIssuerPki(),
    makeMdocPerson(),
    makeJwtVcPerson(),
    mintRoot(),
    makeAttester(),
  ])
  return { authority, person, pki, mdocPerson, jwtVcPerson, root, attester }
}

/** Settings of a relying party with an identity of each kind that trusts the issuers of all formats. */
export async function settingsFor(people: {
  readonly authority: Authority
  readonly pki: People['pki']
  readonly mdocPerson: People['mdocPerson']
  readonly jwtVcPerson: People['jwtVcPerson']
  readonly root: People['root']
  readonly attester: Attester
}): Promise<Readonly<Record<string, unknown>>> {
  const { jwks: _, issuer: _issuer, ...anchor } = people.authority.anchor() as Record<string, unknown>
  const byCertificate = { ...anchor, x509_ca_pem: people.pki.root.pem, sets: ['banks'] }
  const leaf = await mintLeaf(people.root, { altNames: [{ type: 'dns', value: 'verifier.example' }] })
  const { kty, crv, x, y, d } = leaf.privateJwk
  const signing_jwk = { kty, crv, x, y, d }
  const attestation_jwt = await people.attester.attest(signing_jwk)
  return {
    trust_anchors: [byCertificate, people.mdocPerson.anchor(), people.jwtVcPerson.anchor()],
    origins: [ORIGIN],
    verifier: { signing_jwk, certificate_chain_pem: leaf.pem, attestation_jwt },
  }
}

/** A request to the service. */
export type Post = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Certificates of another signer, for SD-JWT VCs. */
type Signer = Pick<IssuerPki, 'leaf' | 'intermediate'>

/** A live request, and how to respond to it. */
export type Target = {
  readonly cell: Cell
  readonly verificationId: string
  readonly rp: RelyingParty
  /** Text of the good presentation. */
  readonly presentation: string
  /** Key that the holder signs with; absent for an mdoc. */
  readonly holder?: KeyPair
  /** Creates a presentation with another claim in it. The trusted issuer and the holder sign it. */
  readonly withClaims: (claims: Parameters, signer?: Signer) => Promise<string>
  /** Returns the parameters of a response with this presentation. Annex C has no other parameters. */
  readonly parametersOf: (presentation: string) => Parameters
  /** Encrypts parameters, and returns the JWE or the envelope. Undefined if the response is plain. */
  readonly seal?: (parameters: Parameters) => Promise<string>
  /** Returns the request with plain parameters, or with the sealed text. */
  readonly postOf: (response: Parameters | string) => Post
}

export type Scene = {
  readonly service: Service
  readonly people: People
}

/** Creates a session and takes its request to the point where a wallet would respond. */
export async function openTarget(scene: Scene, rp: RelyingParty, cell: Cell): Promise<Target> {
  const session = await rp.create(creationOf(cell))
  const open =
    cell.channel === 'qr' ? redirectTarget : cell.channel === 'by_value' ? byValueTarget : browserTarget
  const target = await open(scene, rp, cell, session)
  // Changed content can only be found if the decoders understand the good one.
  if (typeof presentationContent(target.presentation) !== 'object')
    throw new Error('the content is not decoded')
  return target
}

function creationOf({ protocol, format, response, clientId, method }: Cell): object {
  const creation = { ...OVER_18, protocol, formats: [format], qr_code: false }
  if (protocol === 'iso-18013-7-c') return creation
  const request_options = {
    response_mode: response === 'encrypted' ? 'direct_post.jwt' : 'direct_post',
    ...(['url', 'origin', 'none'].includes(clientId) ? {} : { client_id_prefix: clientId }),
    ...(method === 'none' ? {} : { request_uri_method: method }),
  }
  return { ...creation, request_options }
}

const TYPES = { 'dc+sd-jwt': AGE, mso_mdoc: MDOC_AGE, jwt_vc_json: JWT_VC_AGE }

type Held = Pick<Target, 'presentation' | 'holder' | 'withClaims'>

/** Returns the good presentation for a request, and how to create others. */
async function hold(scene: Scene, cell: Cell, request: ReceivedRequest, origin?: string): Promise<Held> {
  const { person, jwtVcPerson } = scene.people
  const withClaims = (claims: Parameters, signer: Signer = scene.people.pki) =>
    present(scene, cell, { request, claims, origin, signer })
  const holder = { 'dc+sd-jwt': person.key, jwt_vc_json: jwtVcPerson.holder, mso_mdoc: undefined }[
    cell.format
  ]
  const presentation = await withClaims({ age_over_18: true })
  return { presentation, withClaims, ...(holder && { holder }) }
}

function present(
  { people }: Scene,
  { format }: Cell,
  {
    request,
    claims,
    origin,
    signer,
  }: {
    readonly request: ReceivedRequest
    readonly claims: Parameters
    readonly origin: string | undefined
    readonly signer: Signer
  },
): Promise<string> {
  if (format === 'mso_mdoc') {
    const nameSpaces = { [MDOC_AGE]: claims }
    return mdocOf(people.mdocPerson, MDOC_AGE, nameSpaces, request, origin === undefined ? {} : { origin })
  }
  if (format === 'jwt_vc_json') {
    const { age_over_18, ...others } = claims
    const presentation = origin === undefined ? {} : { aud: `origin:${origin}` }
    const telling = { presentation, claims: others }
    return jwtVcOf(people.jwtVcPerson, JWT_VC_AGE, { age_over_18 }, request, telling)
  }
  const { claims: usual, ...signed } = certified(signer)
  const audience = origin === undefined ? {} : { audience: `origin:${origin}` }
  return presentationOf(people.person, AGE, request, {
    ...signed,
    claims: { ...usual, ...claims },
    ...audience,
  })
}

async function redirectTarget(
  scene: Scene,
  rp: RelyingParty,
  cell: Cell,
  { verification_id: verificationId, wallet_request }: CreatedSession,
): Promise<Target> {
  const { service, people } = scene
  const wallet = createWallet({
    fetch: service.fetch,
    verifierCa: people.root.pem,
    attestationIssuer: people.attester,
  })
  const request = await wallet.receive(wallet_request.uri, { protocol: cell.protocol })
  const { payload } = request
  const key = payload.client_metadata.jwks?.keys[0]
  const query = queryFor(request, TYPES[cell.format])
  const parametersOf = (text: string) => ({
    ...responseOf(payload, { [query]: [text] }),
    state: payload.state,
  })
  return {
    cell,
    verificationId,
    rp,
    ...(await hold(scene, cell, request)),
    parametersOf,
    ...(cell.response === 'encrypted' && key && { seal: (parameters) => seal(parameters, key, request) }),
    postOf: (response) => formPost(new URL(payload.response_uri).pathname, response),
  }
}

const DESIGNATIONS = { 'dc+sd-jwt': { format: 'vc+sd-jwt' }, jwt_vc_json: { format: 'jwt_vp_json' } }
const NESTED = { path_nested: { format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' } }

/** The relying party's own view of the request, as a bridge passes it to a lenient wallet. */
async function byValueTarget(
  scene: Scene,
  rp: RelyingParty,
  cell: Cell,
  { verification_id: verificationId }: CreatedSession,
): Promise<Target> {
  const view = await expectStatus(await rp.call('GET', `/v1/verify/${verificationId}/openid4vp`), 200)
  const { client_id, nonce, redirect_uri, presentation_definition } = (view as Loose).authorization_request
  const request = { payload: { client_id, nonce, response_uri: redirect_uri, client_metadata: {} } } as never
  const [descriptor] = presentation_definition.input_descriptors
  const map = {
    id: descriptor.id,
    path: '$',
    ...DESIGNATIONS[cell.format as keyof typeof DESIGNATIONS],
    ...(cell.format === 'jwt_vc_json' && NESTED),
  }
  const submission = { id: 's', definition_id: presentation_definition.id, descriptor_map: [map] }
  return {
    cell,
    verificationId,
    rp,
    ...(await hold(scene, cell, request)),
    parametersOf: (vp_token) => ({ vp_token, presentation_submission: submission }),
    postOf: (response) => formPost(new URL(redirect_uri).pathname, response),
  }
}

/** A page of the relying party, whose browser has a wallet. */
async function browserTarget(
  scene: Scene,
  rp: RelyingParty,
  cell: Cell,
  { verification_id: verificationId }: CreatedSession,
): Promise<Target> {
  const path = `/v1/verify/${verificationId}/dc-api`
  const asked = (await expectStatus(await rp.call('POST', `${path}/request`, { body: {} }), 200)) as Loose
  const kind = cell.channel.split(' ')[1]
  const protocol = kind === 'org-iso-mdoc' ? kind : `openid4vp-v1-${kind}`
  const offered = asked.digital.requests.find((one: DigitalRequest) => one.protocol === protocol)
  const postOf = (response: Parameters | string) => {
    const data = typeof response === 'string' ? { response } : response
    return {
      path,
      headers: { authorization: `Bearer ${rp.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ protocol, data }),
    }
  }
  const common = { cell, verificationId, rp, postOf }
  if (kind === 'org-iso-mdoc') {
    const received = receiveAnnexC(offered, ORIGIN)
    const withClaims = async ({ age_over_18 }: Parameters) => {
      const values = { age_over_18: (age_over_18 ?? 0) as never } // null would be the good value
      return Buffer.from(deviceResponseFor(scene.people.mdocPerson, received, { values })).toString(
        'base64url',
      )
    }
    const seal: Target['seal'] = async ({ vp_token }) =>
      (await sealAnnexC(received, Buffer.from(String(vp_token), 'base64url'))).data.response
    const presentation = await withClaims({ age_over_18: true })
    return { ...common, presentation, withClaims, parametersOf: (vp_token) => ({ vp_token }), seal }
  }
  const trust = { verifierCa: scene.people.root.pem, attestationIssuer: scene.people.attester }
  const request = await receiveDigital(offered, { origin: ORIGIN, fetch: scene.service.fetch, ...trust })
  const key = request.payload.client_metadata?.jwks?.keys[0]
  const query = queryFor(request, TYPES[cell.format])
  return {
    ...common,
    ...(await hold(scene, cell, request, ORIGIN)),
    parametersOf: (text) => ({ vp_token: { [query]: [text] } }),
    ...(cell.response === 'encrypted' && key && { seal: (parameters) => seal(parameters, key, request) }),
  }
}

/** Encrypts as each version says: the drafts need the nonce of an mdoc's device in `apu`. */
async function seal(
  parameters: Parameters,
  jwk: JWK,
  { mdocNonce, payload }: ReceivedRequest,
): Promise<string> {
  const isDraft = payload.client_metadata.vp_formats !== undefined
  const apu = isDraft ? Buffer.from(mdocNonce) : randomBytes(16)
  return new CompactEncrypt(Buffer.from(JSON.stringify(parameters)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: isDraft ? 'A256GCM' : 'A128GCM', kid: String(jwk.kid) })
    .setKeyManagementParameters({ apu, apv: isDraft ? Buffer.from(payload.nonce) : randomBytes(24) })
    .encrypt(await importJWK(jwk, 'ECDH-ES'))
}

function formPost(path: string, response: Parameters | string): Post {
  const parameters = typeof response === 'string' ? { response } : response
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return {
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(texts).toString(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member
type Loose = any
