// Service and library evaluate the same responses. Each must get the same status, reason, checks, level and
// derivation from both. Wallets and issuers of other projects make the parts of the responses; a generator
// puts them together, with faults.

import { describe, expect, it } from 'vitest'
import {
  createRequest,
  readTrustList,
  type TrustAnchor,
  type TrustList,
  verifyResponse,
} from '../../../packages/verify/src/index.ts'
import type { StoredRequest } from '../../../packages/verify/src/stored-request.ts'
import { type Random, seededRandom } from '../../formats/sd-jwt-vc/random.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import {
  lotePayload,
  mintListSigner,
  PID_ISSUANCE,
  signLote,
} from '../../support/certificates/trust-lists.ts'
import { answerAnnexC } from '../../support/people/annex-c-person.ts'
import { receiveAnnexC } from '../../support/people/annex-c-wallet.ts'
import { makeKey, signJwt } from '../../support/people/issuer.ts'
import { JWT_VC_AGE, jwtVcOf, makeJwtVcPerson } from '../../support/people/jwt-vc-person.ts'
import { MDOC_AGE, makeDevice, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import {
  AGE,
  certified,
  makeAuthority,
  makePerson,
  presentationOf,
  type Telling,
} from '../../support/people/person.ts'
import { encryptResponse, type ReceivedRequest } from '../../support/people/wallet.ts'
import { hugeSizeOf } from '../../support/runner/size.ts'
import { deflate } from '../../trust/status/status-fixtures.ts'
import {
  comparable,
  evaluateAsService,
  type Pair,
  type Posted,
  pairOf,
  SESSION_RESPONSE_URI,
  type World,
} from '../../verify/service-side.ts'
import { AGE_POLICY, ORIGIN, REQUEST_URI, VERIFIER } from '../../verify/stage.ts'

/** Responses of one test. */
const BLOCKS = 10
const BLOCK = hugeSizeOf(100_000) / BLOCKS

const authority = await makeAuthority()
const person = await makePerson(authority)
const pki = await mintIssuerPki()
const mdocPerson = await makeMdocPerson()
const jwtVcPerson = await makeJwtVcPerson()
const stranger = await makeKey()
const now = () => Math.floor(Date.now() / 1000)

/** Time of every response, so that a long run does not outlive the requests. */
const START = Date.now() + 2_000

const STATUS_URI = 'https://status.example.org/lists/1'
const lst = Buffer.from(deflate(Uint8Array.of(0b100100))).toString('base64url')
const STATUS_CLAIMS = {
  iss: authority.iss,
  sub: STATUS_URI,
  iat: now(),
  ttl: 43_200,
  status_list: { bits: 2, lst },
}
const STATUS_LIST = signJwt({ alg: 'ES256', typ: 'statuslist+jwt' }, STATUS_CLAIMS, authority.key)
const online = async (url: string) =>
  url === STATUS_URI ? new Response(STATUS_LIST) : new Response(null, { status: 404 })
const offline = async () => new Response(null, { status: 503 })

const withStatus = (idx: number): Telling => ({
  claims: { status: { status_list: { idx, uri: STATUS_URI } } },
})

/** One changed thing of an SD-JWT VC. The first entry is good. */
const TELLINGS: readonly Telling[] = [
  {},
  certified(pki),
  { nonce: 'other' },
  { audience: 'other' },
  { holder: stranger },
  { issuer: stranger },
  { unbound: true },
  { iat: now() - 7200 },
  { iat: now() + 7200 },
  { disclose: {} },
  { claims: { age_over_18: false } },
  { claims: { age_over_18: 'true' } },
  { claims: { exp: now() - 7200 } },
  { claims: { nbf: now() + 7200 } },
  { claims: { iss: 'https://other.example' } },
  { claims: { vct: 'urn:other:1' } },
  { claims: { assurance_level: 'low' } },
  ...[0, 1, 2, 3, 99].map(withStatus),
  { ...certified(pki), x5c: [pki.leaf.x5c] },
  { ...certified(pki), x5c: [pki.leaf.x5c, pki.intermediate.x5c, pki.root.x5c] },
  { keyBinding: { nonce: 1 } },
]

/** Presentations by their format. The first of each format is good. */
type Pool = Readonly<Record<string, readonly string[]>>

/** A request, its session, and texts that a wallet may present for it, by credential query. */
type Scene = {
  readonly pair: Pair
  readonly stored: StoredRequest
  readonly pool: Pool
  readonly annexC: readonly Posted[]
}

type Options = Partial<Parameters<typeof createRequest>[0]>

async function makeScene(options: Options): Promise<Scene> {
  const common = { policy: AGE_POLICY, ...options }
  const isDigital = 'origin' in options
  const created = isDigital
    ? await createRequest({ ...common, origin: ORIGIN })
    : await createRequest({
        ...{ verifier: VERIFIER, requestUri: REQUEST_URI, ...common },
        responseUri: SESSION_RESPONSE_URI,
      } as never)
  const pair = await pairOf(created.request)
  const stored = JSON.parse(pair.request) as StoredRequest
  const request = receivedOf(stored)
  const [annexC, pool] = await Promise.all([
    'digital' in created ? annexCOf(created as never) : [],
    request === undefined ? {} : poolFor(stored, request),
  ])
  return { pair, stored, pool, annexC }
}

/** The members of a request that the makers of presentations read. */
function receivedOf({ openid4vp, channel, policy }: StoredRequest): ReceivedRequest | undefined {
  if (openid4vp === undefined) return undefined
  const { d: _, ...jwk } = openid4vp.key
  const isEncrypted = openid4vp.responseMode === 'direct_post.jwt'
  const client = isEncrypted
    ? { jwks: { keys: [{ ...jwk, kid: openid4vp.kid, alg: 'ECDH-ES', use: 'enc' }] } }
    : {}
  const isDigital = channel.kind === 'dc_api'
  const payload = {
    client_id: isDigital ? `origin:${channel.origin}` : channel.clientId,
    response_uri: isDigital ? '' : channel.responseUri,
    response_mode: openid4vp.responseMode,
    nonce: openid4vp.nonce,
    state: openid4vp.state,
    dcql_query: policy.query,
    client_metadata: client,
  }
  return { uri: '', requestObject: '', payload: payload as never, mdocNonce: 'nonce' }
}

async function poolFor({ channel }: StoredRequest, request: ReceivedRequest): Promise<Pool> {
  const origin = channel.kind === 'dc_api' ? { origin: ORIGIN } : {}
  const elements = { [MDOC_AGE]: { age_over_18: true } }
  const sdJwts = TELLINGS.map((telling) => presentationOf(person, AGE, request, telling))
  const documents = [
    {},
    { holder: makeDevice() },
    { nameSpaces: { [MDOC_AGE]: { age_over_18: false } } },
    { validUntil: new Date(Date.now() - 86_400_000) },
    { answering: { nonce: 'other' } },
  ].map((telling) => mdocOf(mdocPerson, MDOC_AGE, elements, request, { ...origin, ...telling } as never))
  const credentials = [
    {},
    { presentation: { nonce: 'other' } },
    { presentation: { aud: 'other' } },
    { holder: stranger },
    { issuer: stranger },
    { alone: true },
    { subject: { age_over_18: false } },
    { claims: { exp: now() - 7200 } },
  ].map((telling) => jwtVcOf(jwtVcPerson, JWT_VC_AGE, { age_over_18: true }, request, telling))
  const all = { 'dc+sd-jwt': sdJwts, mso_mdoc: documents, jwt_vc_json: credentials }
  const made = Object.entries(all).map(async ([format, ones]) => {
    const texts = await Promise.all(ones.map((one) => one.catch(() => undefined)))
    return [format, texts.filter((text) => text !== undefined)] as const
  })
  return Object.fromEntries(await Promise.all(made))
}

async function annexCOf({
  digital,
}: {
  digital: { requests: readonly { protocol: string }[] }
}): Promise<Posted[]> {
  const entry = digital.requests.find(({ protocol }) => protocol === 'org-iso-mdoc')
  if (entry === undefined) return []
  const received = receiveAnnexC(entry as never, ORIGIN)
  const tellings = [
    {},
    { holder: makeDevice() },
    { values: { age_over_18: false } },
    { without: [MDOC_AGE] },
    { sealing: { info: new Uint8Array(3) } },
    { sealing: { suite: 'AES-256-GCM' as const } },
  ]
  return Promise.all(tellings.map((telling) => answerAnnexC(mdocPerson, received, telling))) as Promise<
    Posted[]
  >
}

const FORMATS = [['dc+sd-jwt'], ['mso_mdoc'], ['jwt_vc_json'], ['dc+sd-jwt', 'mso_mdoc']] as const

/** Every protocol and channel, with each format that it can request. */
const OPTIONS: readonly Options[] = [
  ...FORMATS.flatMap((formats) => [
    { policy: { ...AGE_POLICY, formats } },
    { policy: { ...AGE_POLICY, formats }, responseMode: 'direct_post' as const },
    { policy: { ...AGE_POLICY, formats }, origin: ORIGIN },
    { policy: { ...AGE_POLICY, formats }, origin: ORIGIN, responseMode: 'direct_post' as const },
  ]),
  {
    policy: AGE_POLICY,
    responseMode: 'direct_post',
    verifier: undefined,
    requestUri: undefined,
  } as unknown as Options,
  { policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'] }, protocol: 'haip-1.0' },
  { policy: { ...AGE_POLICY, formats: ['mso_mdoc'] }, protocol: 'haip-1.0' },
  { policy: { ...AGE_POLICY, formats: ['mso_mdoc'] }, protocol: 'haip-1.0', origin: ORIGIN },
  { policy: { ...AGE_POLICY, formats: ['mso_mdoc'] }, protocol: 'iso-18013-7-c', origin: ORIGIN },
  { policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'], required_assurance_level: 'high' } },
  { policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'], require_same_holder_key: true } },
  { policy: { ...AGE_POLICY, formats: ['dc+sd-jwt'], anchor_sets: ['eu'] } },
]
const SCENES = await Promise.all(OPTIONS.map(makeScene))

/** Changes one place of a text. */
function damage(text: string, random: Random): string {
  const at = random.below(text.length)
  const changes = [
    () => text.slice(0, at) + random.pick([...'AZaz09-_~.{}" ']) + text.slice(at + 1),
    () => text.slice(0, at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text + text.slice(at),
  ]
  return random.pick(changes)()
}

/** Presentations in a VP Token, mostly in the right form. */
function vpTokenFor({ pool, stored }: Scene, random: Random): unknown {
  const { credentials } = stored.policy.query
  const foreign = random.below(12) === 0 ? random.pick(SCENES).pool : pool
  const presentation = (query = random.pick(credentials)) => {
    const format = random.below(15) === 0 ? random.pick(Object.keys(pool)) : query.format
    const from = foreign[format] ?? ['x']
    const text = random.below(2) === 0 ? (from[0] ?? 'x') : random.pick(from)
    return random.below(12) === 0 ? damage(text, random) : text
  }
  const query = random.pick(credentials)
  const id = random.below(15) === 0 ? 'other' : query.id
  const forms = [
    () => ({ [id]: presentation() }),
    () => ({ [id]: [] }),
    () => ({ [id]: [presentation(), presentation()] }),
    () => presentation(),
    () => ({ [id]: [{ a: 1 }] }),
    () => ({ [id]: [1] }),
    () => ({}),
    () => Object.fromEntries(credentials.map((one) => [one.id, [presentation(one)]])),
  ]
  return random.below(5) === 0 ? random.pick(forms)() : { [id]: [presentation(query)] }
}

/** A response with at most a few faults. */
async function responseFor(scene: Scene, random: Random): Promise<Posted> {
  const { stored, annexC } = scene
  const { openid4vp, channel } = stored
  if (annexC.length > 0 && (openid4vp === undefined || random.below(2) === 0)) {
    const posted = random.pick(annexC)
    if (random.below(6) > 0 || !('data' in posted)) return posted
    const { response } = posted.data as { response: string }
    return { ...posted, data: { response: damage(response, random) } }
  }
  if (openid4vp === undefined) return { protocol: 'openid4vp-v1-unsigned', data: { vp_token: {} } }
  const isDigital = channel.kind === 'dc_api'
  const state = random.below(12) === 0 ? random.pick(['other', '', openid4vp.kid]) : openid4vp.state
  const error = random.pick(['access_denied', 'invalid_request', 'odd', ''])
  const isError = random.below(20) === 0
  const open = isError ? { error, state } : { vp_token: vpTokenFor(scene, random), state }
  const isEncrypted = (openid4vp.responseMode === 'direct_post.jwt') !== (random.below(25) === 0)
  const posted = isEncrypted
    ? { response: await encrypted(open, openid4vp, random), ...beside(state, random) }
    : open
  if (isDigital) {
    const protocol = random.pick(['openid4vp-v1-signed', 'openid4vp-v1-unsigned'] as const)
    return { protocol, data: JSON.parse(JSON.stringify(posted)) as object }
  }
  const texts = Object.entries(posted).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return { parameters: random.below(30) === 0 ? texts.slice(1) : texts }
}

const beside = (state: string, random: Random) => (random.below(6) === 0 ? { state } : {})

async function encrypted(
  open: object,
  { key, kid }: NonNullable<StoredRequest['openid4vp']>,
  random: Random,
): Promise<string> {
  const { d: _, ...jwk } = key
  const named = random.below(20) === 0 ? { ...jwk, kid: random.pick(['other', '']) } : { ...jwk, kid }
  const foreign = random.below(20) === 0 ? { ...stranger.publicJwk, kid } : named
  const enc = random.pick([
    'A128GCM',
    'A256GCM',
    'A256GCM',
    random.below(20) === 0 ? 'A128CBC-HS256' : 'A128GCM',
  ])
  const jwe = await encryptResponse(open, foreign as never, { enc })
  return random.below(20) === 0 ? damage(jwe, random) : jwe
}

const listSigner = await mintListSigner()
const STALE = await staleList()

/** A verified list that became stale an hour ago. */
async function staleList(): Promise<TrustList> {
  const at = (seconds: number) => new Date((now() + seconds) * 1000).toISOString().replace('.000', '')
  const services = [{ type: PID_ISSUANCE, certificates: [pki.root.x5c] }]
  const payload = lotePayload({ services, issued: at(-9000), nextUpdate: at(-3600) })
  const result = await readTrustList({
    ...{ name: 'eu', kind: 'etsi_lote', now: new Date(Date.now() - 7_200_000) },
    body: await signLote(listSigner, { payload, header: { iat: now() - 9000 } }),
    signers: [{ x509_certificate_pem: listSigner.pem }],
    services: [{ type: PID_ISSUANCE, credential_types: ['age_attestation'], assurance_level: 'high' }],
  })
  if (!result.ok) throw new Error(result.reason)
  return result.list
}

const { issuer: _, jwks: __, ...byName } = authority.anchor() as Record<string, unknown>
const ANCHORS = [
  authority.anchor({ sets: ['eu'] }),
  { ...byName, name: 'By certificate', x509_ca_pem: pki.root.pem },
  mdocPerson.anchor(),
  jwtVcPerson.anchor(),
] as unknown as readonly TrustAnchor[]
const ANCHOR_CHOICES: readonly (readonly TrustAnchor[])[] = [
  ANCHORS,
  ANCHORS,
  ANCHORS,
  [],
  ANCHORS.slice(1),
  ANCHORS.map((anchor) => ({ ...anchor, assurance_level: 'low' as const })),
  ANCHORS.map((anchor) => ({ ...anchor, credential_types: ['pid'] })),
]

function worldFor(random: Random): World {
  const seconds = random.below(15) === 0 ? random.pick([-600, 299, 301, 86_400]) : 0
  return {
    anchors: random.pick(ANCHOR_CHOICES) as World['anchors'],
    incomplete: random.below(5) === 0,
    now: new Date(START + seconds * 1000),
    fetch: random.below(5) === 0 ? offline : online,
    statusUnavailable: random.pick(['refuse', 'accept']),
  }
}

const toResponse = (posted: Posted): unknown =>
  'parameters' in posted ? new URLSearchParams(posted.parameters.map(([a, b]) => [a, b])).toString() : posted

const seen = new Map<string, number>()

/** Evaluates one generated response on both sides. `fault`: changes the world of the service. */
async function compare(seed: number, fault: Partial<World> = {}): Promise<void> {
  const random = seededRandom(seed)
  for (let i = 0; i < 5; i++) random.below(2) // small seeds begin with similar numbers
  const scene = random.pick(SCENES)
  const posted = await responseFor(scene, random)
  const { incomplete, ...world } = worldFor(random)
  const { fetch, statusUnavailable, now: time } = world
  const service = await evaluateAsService(scene.pair, posted, { ...world, incomplete, ...fault })
  const anchors = [...(world.anchors as readonly TrustAnchor[]), ...(incomplete ? [STALE] : [])]
  const response = toResponse(posted)
  const { request } = scene.pair
  const library = await verifyResponse({ request, response, anchors, now: time, fetch, statusUnavailable })
  // A status list has the time of its fetch. Both sides fetch it in the same second, or nearly so.
  expect({ seed, ...(withoutFetchTime(comparable(library)) as object) }).toEqual({
    seed,
    ...(withoutFetchTime(service) as object),
  })
  const words = `${library.status} ${library.reason}`
  seen.set(words, (seen.get(words) ?? 0) + 1)
}

const withoutFetchTime = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, member) => (name === 'as_of' ? member !== null : member)))

describe('the comparison of the service and the library with generated responses', () => {
  it.each(Array.from({ length: BLOCKS }, (_, block) => block))(
    'finds no difference in block %i',
    async (block) => {
      for (let i = 0; i < BLOCK; i++) await compare(block * BLOCK + i + 1)
    },
  )

  it('fails if the service and the library differ', async () => {
    const differences = async (fault: Partial<World>) => {
      const seeds = Array.from({ length: 100 }, (_, i) => i + 1)
      const results = await Promise.allSettled(seeds.map((seed) => compare(seed, fault)))
      return results.filter(({ status }) => status === 'rejected').length
    }
    expect(await differences({})).toBe(0)
    expect(await differences({ anchors: [] })).toBeGreaterThan(5)
    expect(await differences({ now: new Date(START + 7_200_000) })).toBeGreaterThan(5)
  })

  it('covers many different results', () => {
    const words = [...seen].toSorted(([, a], [, b]) => b - a)
    console.log(`${words.map(([word, count]) => `${count} ${word}`).join(', ')}`)
    expect(words.length).toBeGreaterThan(25)
    for (const word of [
      'verified null',
      'rejected predicate_false',
      'declined access_denied',
      'refused nonce_mismatch',
    ])
      expect(seen.get(word) ?? 0).toBeGreaterThan(0)
    const verified = seen.get('verified null') ?? 0
    expect(verified / (BLOCK * BLOCKS)).toBeGreaterThan(0.1)
  })
})
