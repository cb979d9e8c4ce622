// Evidence of good verifications, made from presentations of foreign libraries. Tests change one thing.

import { deflateSync } from 'node:zlib'
import { CompactEncrypt, importJWK } from 'jose'
import { encodeBase64url } from '../../src/codec/base64url.ts'
import { encodeHex, utf8 } from '../../src/codec/bytes.ts'
import type { JsonObject } from '../../src/codec/json.ts'
import { sha256 } from '../../src/crypto/digest.ts'
import { jwkThumbprint, type PrivateJwk } from '../../src/crypto/jwk.ts'
import { signJwt } from '../../src/crypto/sign-jwt.ts'
import type { AnsweredRequest, EvidenceInput } from '../../src/evidence/container/input.ts'
import { type Container, writeContainer } from '../../src/evidence/container/write.ts'
import { evaluateSubject } from '../../src/evidence/evaluation/evaluate.ts'
import type { EvaluationRules, SessionInputs } from '../../src/evidence/evaluation/record.ts'
import type { FetchResource } from '../../src/net/guarded-fetch.ts'
import { recordFetches } from '../../src/net/recorded-fetch.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { ok } from '../../src/result.ts'
import { hashJson } from '../../src/session/request/request-hash.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import * as mdl from '../formats/mdoc/good.ts'
import * as pid from '../formats/sd-jwt-vc/good.ts'
import { type IssuerPki, mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { signJwt as signAsIssuer } from '../support/people/issuer.ts'

export const NOW = pid.NOW

/** A key pair of P-256 as JWK. */
export async function makeJwk(): Promise<Required<PrivateJwk>> {
  const pair = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const { x, y, d } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as Required<JsonWebKey>
  return { kty: 'EC', crv: 'P-256', x, y, d }
}

export const SERVICE_KEY = { ...(await makeJwk()), kid: 'receipts-1' }
export const RESPONSE_KEY = mdl.HANDOVER.encryptionKey
const RESPONSE_URI = mdl.HANDOVER.responseUri
export const CLIENT_ID = mdl.EXPECTED.audience
const VERIFIER = await mintLeaf(await mintRoot(), { altNames: [{ type: 'dns', value: 'verifier.example' }] })

/** Signs a statement as the service does. */
export const signStatement = (payload: object, typ: string) => signJwt(payload, typ, SERVICE_KEY)

/** The way of a request and its response. Default: a signed request by QR, and an encrypted response. */
export type Way = {
  readonly session: Partial<SessionInputs>
  readonly request: AnsweredRequest
  /** The response as it came; null for a response in the clear. */
  readonly response: string | null
  readonly requestHash: string
}

/** Parts of a case that tests change. */
export type CaseParts = {
  readonly query: DcqlQuery
  readonly type: string
  readonly scope: { readonly scope: string; readonly path: readonly [string, ...string[]] }
  readonly anchors: readonly TrustAnchor[]
  readonly presentation: string
  readonly way?: Way
  readonly fetchResource?: FetchResource
  /** `clock_skew` of the rules. Absent: as in evidence of earlier versions. */
  readonly clock_skew?: number | undefined
}

/** Changed times of a case: claims of the credential, and `iat` of its proof or of its status list. */
type CaseTimes = {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly iat?: number
  readonly clock_skew?: number
}

export const PID_QUERY: DcqlQuery = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: [pid.VCT] },
      claims: [{ path: ['age_equal_or_over', '18'] }],
    },
  ],
}
export const PID_SCOPE = { scope: 'age_over_18', path: ['age_equal_or_over', '18'] } as const

/** An age check with an SD-JWT VC. */
export async function agePid({ claims = {}, iat, clock_skew }: CaseTimes = {}): Promise<EvidenceInput> {
  const credential = await pid.issueGood(claims)
  const proof = { audience: CLIENT_ID, ...(iat !== undefined && { iat }) }
  const presentation = await pid.presentGood(credential, proof)
  const anchors = [pid.ANCHOR]
  return makeCase({ query: PID_QUERY, type: 'pid', scope: PID_SCOPE, anchors, presentation, clock_skew })
}

const STATUS_URI = 'https://issuer.example/status/1'

/** An age check with an SD-JWT VC, whose status list says that it is `status` (0: valid, 1: revoked). */
export async function agePidWithStatus(
  status: 0 | 1 = 0,
  { iat = NOW - 60, clock_skew }: CaseTimes = {},
): Promise<EvidenceInput> {
  const credential = await pid.issueGood({ status: { status_list: { uri: STATUS_URI, idx: 3 } } })
  const presentation = await pid.presentGood(credential, { audience: CLIENT_ID })
  const lst = deflateSync(Uint8Array.of(status << 3)).toString('base64url')
  const list = signAsIssuer(
    { alg: pid.ISSUER_KEY.alg, typ: 'statuslist+jwt' },
    { iss: pid.ISSUER, sub: STATUS_URI, iat, ttl: 600, status_list: { bits: 1, lst } },
    pid.ISSUER_KEY,
  )
  const fetchResource: FetchResource = async () =>
    ok({ body: utf8(list), contentType: 'application/statuslist+jwt' })
  const more = { anchors: [pid.ANCHOR], presentation, fetchResource, clock_skew }
  return makeCase({ query: PID_QUERY, type: 'pid', scope: PID_SCOPE, ...more })
}

export const MDL_QUERY: DcqlQuery = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: mdl.MDL },
      claims: [{ path: [mdl.NAME_SPACE, 'age_over_18'] }],
    },
  ],
}

export const MDL_SCOPE = { scope: 'age_over_18', path: [mdl.NAME_SPACE, 'age_over_18'] } as const

/**
 * An age check with a mobile driving licence. `elements`: its data elements. `pki`: its issuer. `anchor`:
 * members of the anchor.
 */
export function ageMdl(
  elements = mdl.MAKING.elements,
  { pki = mdl.PKI, anchor = {} }: { readonly pki?: IssuerPki; readonly anchor?: Partial<TrustAnchor> } = {},
): Promise<EvidenceInput> {
  const presentation = mdl.make({}, { elements, pki })
  const anchors = [{ ...mdl.ANCHOR, x509_ca_pem: pki.root.pem, ...anchor }]
  return makeCase({ query: MDL_QUERY, type: 'mdl', scope: MDL_SCOPE, anchors, presentation })
}

const LIST_URL = 'https://lists.example/issuers'

/**
 * An age check whose issuer is on a trust list. `body`: the list as fetched. `service`: of a list in XML.
 */
export async function ageMdlOnList(
  body: Uint8Array<ArrayBuffer>,
  service?: TrustAnchor['service'],
): Promise<EvidenceInput> {
  const list = { name: 'issuers', sequence: 7, trust_as_of: new Date(NOW * 1000).toISOString() }
  const anchor = { list, listUrls: [LIST_URL], ...(service && { service }) }
  const input = await ageMdl(undefined, { anchor })
  const digest = encodeHex(await sha256(body))
  MATERIALS.set(digest, body)
  const described = { sha256: digest, bytes: body.length, media_type: 'application/jose' }
  return { ...input, materials: [{ ...described, source: LIST_URL, fetched_at: NOW - 60 }] }
}

/** Evaluates a presentation as the service does, and returns the input of its evidence. */
export async function makeCase({
  query,
  type,
  scope,
  anchors,
  presentation,
  way,
  ...more
}: CaseParts): Promise<EvidenceInput> {
  const responseKey = way?.response === null ? null : RESPONSE_KEY
  const session: SessionInputs = {
    protocol: 'openid4vp-1.0',
    annex_c: false,
    channel: 'qr',
    client_id: CLIENT_ID,
    nonce: mdl.EXPECTED.nonce,
    state: 'state-1',
    audience: CLIENT_ID,
    handover: { kind: 'redirect', responseUri: RESPONSE_URI },
    response_key_thumbprint: responseKey && encodeBase64url(await jwkThumbprint(responseKey)),
    response_mode: 'direct_post.jwt',
    language: 'dcql',
    query,
    transaction_data: null,
    requested_at: NOW - 20,
    ...way?.session,
  }
  const { id } = query.credentials[0]!
  const rules: EvaluationRules = {
    now: NOW,
    ...(more.clock_skew !== undefined && { clock_skew: more.clock_skew }),
    policy: {
      scope: [scope.scope],
      query,
      descriptors: [{ query_id: id, credential_type: type, scopes: [{ ...scope, boolean: true }] }],
      required_assurance_level: 'low',
      require_same_holder_key: false,
    },
    unbound: session.channel === 'by_value',
    credential_types: [],
    trust: {
      anchors,
      anchor_sets: null,
      sandbox: false,
      status_unavailable: 'refuse',
      certificate_revocation: 'off',
    },
  }
  const { fetchResource = () => Promise.reject(new Error('nothing may be fetched')) } = more
  const { fetched, ...network } = recordFetches(fetchResource, NOW)
  const groups = [{ query: query.credentials[0]!, presentations: [presentation] }]
  const evaluated = await evaluateSubject({
    session,
    rules,
    groups,
    responseKey,
    network,
  })
  if (evaluated.kind !== 'decided') throw new Error(`the case is ${JSON.stringify(evaluated)}`)
  const { claims: _, ...decision } = evaluated.decision
  const asked = { scope: [scope.scope], credential_types: [type] }
  const claims = requestClaims(session)
  const { iat: _iat, exp: _exp, ...hashed } = claims
  const materials = await Promise.all(
    fetched().map(async ({ url, media_type, body, fetched_at }) => {
      MATERIALS.set(encodeHex(await sha256(body)), body)
      return {
        sha256: encodeHex(await sha256(body)),
        bytes: body.length,
        media_type,
        source: url,
        fetched_at,
      }
    }),
  )
  const { kty, crv, x, y, kid } = SERVICE_KEY
  return {
    software: { name: 'wallet-verifier', version: '0.2.0' },
    verification_id: 'v_00000000000000000000000000000001',
    relying_party_id: 'rp_1',
    livemode: false,
    requested_at: (NOW - 20) * 1000,
    received_at: NOW * 1000,
    decided_at: NOW * 1000,
    request: way?.request ?? { kind: 'request_object', jwt: await signRequest(claims) },
    requests_fetched: 1,
    session,
    groups,
    encrypted: responseKey && {
      text: way?.response ?? (await encryptTo({ vp_token: { [id]: [presentation] }, state: session.state })),
      key: { ...responseKey, kid: 'k1' },
    },
    certificates: [VERIFIER.der],
    fetched_keys: [],
    service_keys: [{ kty, crv, x, y, kid }],
    decision: { ...rules, asked, decision, trace: evaluated.trace },
    materials,
    missing: [],
    receipt: {
      verification_id: 'v_00000000000000000000000000000001',
      relying_party_id: 'rp_1',
      status: decision.status,
      reason: decision.reason,
      checks: decision.checks,
      assurance_level: decision.assurance_level,
      policy_hash: await hashJson(asked),
      request_hash: way?.requestHash ?? (await hashJson(hashed)),
    },
    time_stamp: false,
    salts: { evidence: salt(1), decision: salt(2), session: salt(3) },
  }
}

/** Materials of all cases, by their hexadecimal digest. */
export const MATERIALS = new Map<string, Uint8Array>()

const salt = (value: number) => new Uint8Array(16).fill(value)

function requestClaims(session: SessionInputs) {
  return {
    ...unsignedClaims(session),
    client_id: CLIENT_ID,
    response_uri: RESPONSE_URI,
    state: session.state,
    iat: NOW - 10,
    exp: NOW + 290,
  }
}

/** Claims of a request in the Digital Credentials API that is not signed. */
export function unsignedClaims({ nonce, query }: Pick<SessionInputs, 'nonce' | 'query'>) {
  const { d: _, ...key } = RESPONSE_KEY
  return {
    response_type: 'vp_token',
    nonce,
    dcql_query: JSON.parse(JSON.stringify(query)) as JsonObject,
    client_metadata: { jwks: { keys: [{ ...key, kid: 'k1', use: 'enc' }] } },
  }
}

async function signRequest(claims: object): Promise<string> {
  const { CompactSign } = await import('jose')
  return new CompactSign(utf8(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: [VERIFIER.x5c] })
    .sign(await importJWK(VERIFIER.privateJwk as never, 'ES256'))
}

/** Encrypts a response to the key of the request. `names`: the JWE names the key. */
export async function encryptTo(parameters: object, names: object = { kid: 'k1' }): Promise<string> {
  const { d: _, ...key } = RESPONSE_KEY
  return new CompactEncrypt(utf8(JSON.stringify(parameters)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...names })
    .encrypt(await importJWK({ ...key, alg: 'ECDH-ES' }, 'ECDH-ES'))
}

/** Writes the container of a case. */
export async function containerOf(input: EvidenceInput): Promise<Container> {
  const container = await writeContainer(input, signStatement)
  if (!container.ok) throw new Error(container.error)
  return container.value
}
