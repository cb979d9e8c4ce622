// Makes a request: by a QR code or a link (OpenID4VP 1.0 §5), or in the Digital Credentials API (Appendix A,
// ISO/IEC TS 18013-7 Annex C).

import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { randomBytes } from '../../../src/crypto/random.ts'
import { requestedPolicy } from '../../../src/exchange/requested-policy.ts'
import { NONCE_BYTES } from '../../../src/iso18013-7/encryption-info.ts'
import { buildDcApiRequests, ISO_MDOC } from '../../../src/openid4vp/dc-api.ts'
import { buildAuthorizationRequestUri } from '../../../src/openid4vp/request/authorization-request.ts'
import { redirectUriClientId } from '../../../src/openid4vp/request/client-identifier.ts'
import type { VerifierIdentity } from '../../../src/openid4vp/request/generation.ts'
import { drawNonce } from '../../../src/openid4vp/request/nonce.ts'
import {
  isWalletNonce,
  signRequestObject,
  unsignedParameters,
} from '../../../src/openid4vp/request/request-object.ts'
import { createEncryptionKey } from '../../../src/openid4vp/response/response-encryption.ts'
import { typeDefinitions } from '../../../src/policy/catalogue.ts'
import type { CredentialTypeDefinition, Policy } from '../../../src/policy/policy.ts'
import { POLICY_MESSAGES } from '../../../src/policy/request-messages.ts'
import { checkMembers, inputError } from './faults.ts'
import { identityOf, readersOf } from './identity.ts'
import { InputError } from './input-error.ts'
import { type OpenProtocolPart, openDcql, openDocuments, openFormats, requireProtocol } from './open-parts.ts'
import { type CheckedInput, checkRequestInput, checkTime } from './request-input.ts'
import {
  type DcApiChannel,
  queryOf,
  type RedirectChannel,
  readRequest,
  type StoredKeys,
  type StoredRequest,
  VERSION,
  writeRequest,
} from './stored-request.ts'
import type { DcApiRequest, Json, Parts, RedirectRequest, SignRequestInput } from './types.ts'

/** Makes a request. Throws an `InputError`. */
export async function createRequestOf(parts: Parts, value: unknown): Promise<RedirectRequest | DcApiRequest> {
  const input = checkRequestInput(value, openDcql(parts)?.schema)
  const protocol = requireProtocol(parts, input.protocol)
  const { now } = input
  return input.origin === undefined
    ? createRedirect(parts, protocol, input, now)
    : createDcApi(parts, protocol, { ...input, origin: input.origin }, now)
}

/** Signs the Request Object of a stored request again. Throws an `InputError`. */
export async function signRequestOf(parts: Parts, input: SignRequestInput): Promise<string> {
  checkMembers(input, ['request', 'verifier', 'walletNonce', 'now'])
  const stored = readRequest(input.request)
  const now = checkTime(input.now, '/now')
  const { channel, openid4vp: keys } = stored
  if (channel.kind !== 'redirect' || !channel.isSigned || keys === undefined)
    throw inputError('/request', 'must be a signed request with a responseUri')
  const { walletNonce } = input
  if (walletNonce !== undefined && !isWalletNonce(walletNonce))
    throw inputError('/walletNonce', 'must be 1 to 512 printable ASCII characters')
  const { protocol } = requireProtocol(parts, stored.protocol)
  const { responseUri: address } = channel
  const identity = await identityOf(input.verifier, { address, prefixes: protocol.clientIdPrefixes, now })
  if (identity.clientId !== channel.clientId)
    throw inputError('/verifier', 'must be the verifier of createRequest')
  return signRequestObject(redirectClaims(parts, { stored, channel, keys }, { walletNonce, now }), identity)
}

async function createRedirect(
  parts: Parts,
  part: OpenProtocolPart,
  input: CheckedInput,
  now: number,
): Promise<RedirectRequest> {
  const { protocol } = part
  const { responseUri = '', requestUri, origin: _, readers, ...checked } = input
  if (!protocol.supportsRedirect)
    throw inputError('/protocol', 'must be openid4vp-1.0 or haip-1.0 with responseUri', 'not_in_protocol')
  if (readers !== undefined) throw inputError('/readers', 'must be absent with responseUri')
  const prefixes = protocol.clientIdPrefixes
  const identity =
    input.verifier === undefined
      ? undefined
      : await identityOf(input.verifier, { address: responseUri, prefixes, now })
  if (identity === undefined) checkUnsigned(part, input)
  else if (requestUri === undefined) throw inputError('/requestUri', 'is required with verifier')
  const clientId = identity?.clientId ?? redirectUriClientId(responseUri)
  const channel = { kind: 'redirect', responseUri, clientId, isSigned: identity !== undefined } as const
  const stored = await store(parts, part, { input: checked, channel, now })
  const { openid4vp: keys } = stored
  if (keys === undefined) throw new Error('a redirect request has keys')
  const claims = redirectClaims(parts, { stored, channel, keys }, { now })
  const expiresAt = new Date(stored.expiresAt * 1000)
  const request = writeRequest(stored)
  if (identity === undefined || requestUri === undefined) {
    const uri = buildAuthorizationRequestUri({ parameters: unsignedParameters(claims) }, input.link)
    return { request, uri, requestObject: null, expiresAt }
  }
  const requestUriMethod = input.requestUriMethod === 'post' ? 'post' : undefined
  const uri = buildAuthorizationRequestUri({ clientId, requestUri, requestUriMethod }, input.link)
  return { request, uri, requestObject: await signRequestObject(claims, identity), expiresAt }
}

/** OpenID4VP 1.0 §5.9.3: an unsigned request may be answered by anyone who sees it. */
function checkUnsigned({ protocol }: OpenProtocolPart, { policy, requestUri }: CheckedInput): void {
  if (!protocol.clientIdPrefixes.includes('redirect_uri'))
    throw inputError('/verifier', 'is required by this protocol', 'not_in_protocol')
  if (requestUri !== undefined)
    throw inputError('/requestUri', 'must be absent without verifier: the request is whole in its URI')
  if (policy.required_assurance_level !== 'low') {
    const message = 'must be low without verifier: anyone may answer an unsigned request'
    throw inputError('/policy/required_assurance_level', message, 'low_level_only')
  }
}

async function createDcApi(
  parts: Parts,
  part: OpenProtocolPart,
  input: CheckedInput & { readonly origin: string },
  now: number,
): Promise<DcApiRequest> {
  const { origin, requestUri, link } = input
  if (requestUri !== undefined) throw inputError('/requestUri', 'must be absent with origin')
  if (link !== undefined) throw inputError('/link', 'must be absent with origin')
  const prefixes = part.protocol.clientIdPrefixes
  const isOpenid4vp = part.protocol.supportsRedirect
  if (!isOpenid4vp && input.verifier !== undefined)
    throw inputError('/verifier', 'must be absent with this protocol: use readers', 'not_in_protocol')
  const identity =
    input.verifier === undefined ? null : await identityOf(input.verifier, { address: origin, prefixes, now })
  const channel = { kind: 'dc_api', origin } as const
  const stored = await store(parts, part, { input, channel, now })
  const requests = [
    ...(await openid4vpRequests(parts, stored, { identity, origin, now })),
    ...(await documentRequests(parts, stored, { readers: input.readers ?? [], origin, now })),
  ]
  return {
    request: writeRequest(stored),
    digital: { requests: requests as unknown as DcApiRequest['digital']['requests'] }, // JSON values
    expiresAt: new Date(stored.expiresAt * 1000),
  }
}

async function openid4vpRequests(
  parts: Parts,
  stored: StoredRequest,
  { identity, origin, now }: { identity: VerifierIdentity | null; origin: string; now: number },
) {
  const { openid4vp: keys } = stored
  if (keys === undefined) return []
  const input = { ...requestMembers(parts, stored, keys), origin, now, responseMode: keys.responseMode }
  return buildDcApiRequests(input, identity)
}

async function documentRequests(
  parts: Parts,
  { annexC: keys, policy }: StoredRequest,
  { readers, origin, now }: { readers: readonly unknown[]; origin: string; now: number },
) {
  const documents = openDocuments(parts)
  const query = documents?.documentQuery(policy.query)
  if (keys === undefined || documents === undefined || query === undefined) {
    if (readers.length === 0) return []
    throw inputError('/readers', 'must be absent: the request has no org-iso-mdoc')
  }
  const requestKey = { nonce: keys.nonce, x: keys.key.x, y: keys.key.y ?? '' }
  const transcript = await documents.transcriptFor(origin, requestKey)
  const sender = { readers: await readersOf(readers, now) }
  const deviceRequest = await documents.buildDeviceRequest(query, transcript, sender)
  const encryptionInfo = documents.buildEncryptionInfo(requestKey)
  return [{ protocol: ISO_MDOC, data: { deviceRequest, encryptionInfo } } as const]
}

type Storing = {
  readonly input: Omit<CheckedInput, 'origin' | 'responseUri' | 'requestUri' | 'readers'>
  readonly channel: RedirectChannel | DcApiChannel
  readonly now: number
}

/** Makes the policy, the nonces and the keys of a request. */
async function store(
  parts: Parts,
  { protocol }: OpenProtocolPart,
  { input, channel, now }: Storing,
): Promise<StoredRequest> {
  const { required_assurance_level, require_same_holder_key, anchor_sets } = input.policy
  const responseMode = input.responseMode ?? protocol.responseModes[0]
  if (responseMode !== undefined && !protocol.responseModes.includes(responseMode))
    throw inputError('/responseMode', 'must be one that the protocol supports', 'not_in_protocol')
  const { credentialTypes } = input
  const policy = buildPolicy(parts, { protocol, input, responseMode: responseMode ?? null, credentialTypes })
  const documents = openDocuments(parts)
  const hasDocuments = channel.kind === 'dc_api' && documents?.documentQuery(policy.query) !== undefined
  return {
    version: VERSION,
    protocol: input.protocol,
    channel,
    policy: { ...policy, required_assurance_level, require_same_holder_key },
    ...(anchor_sets && { anchorSets: anchor_sets }),
    credentialTypes,
    createdAt: now,
    expiresAt: now + input.expiresIn,
    ...(responseMode && { openid4vp: { ...(await newKeys(drawNonce())), responseMode } }),
    ...(hasDocuments && { annexC: await newKeys(encodeBase64url(randomBytes(NONCE_BYTES))) }),
  }
}

function buildPolicy(
  parts: Parts,
  {
    protocol,
    input,
    responseMode,
    credentialTypes,
  }: Pick<OpenProtocolPart, 'protocol'> &
    Pick<Storing, 'input'> & {
      readonly responseMode: CheckedInput['responseMode'] | null
      readonly credentialTypes: readonly CredentialTypeDefinition[]
    },
): Policy {
  const policy = requestedPolicy(input.policy, {
    protocol,
    responseMode: responseMode ?? null,
    formats: openFormats(parts.formats),
    definitions: typeDefinitions(credentialTypes),
    hasTrustLists: true,
    registered: [],
    dcql: openDcql(parts),
  })
  if (policy.ok) return policy.value
  const messages: Readonly<Record<string, string>> = { ...POLICY_MESSAGES, ...openDcql(parts)?.messages }
  const faults = policy.error.errors.map(({ pointer, code, message }) => ({
    pointer: `/policy${pointer}`,
    code,
    message: messages[message] ?? message,
  }))
  throw new InputError(faults)
}

async function newKeys(nonce: string): Promise<StoredKeys> {
  const { privateJwk: key } = await createEncryptionKey()
  return { nonce, state: newHandle(), kid: newHandle(), key }
}

const HANDLE_BYTES = 16
const newHandle = () => encodeBase64url(randomBytes(HANDLE_BYTES))

type RedirectStored = {
  readonly stored: StoredRequest
  readonly channel: RedirectChannel
  readonly keys: NonNullable<StoredRequest['openid4vp']>
}

/** Returns the claims of the Request Object. */
function redirectClaims(
  parts: Parts,
  { stored, channel, keys }: RedirectStored,
  { walletNonce, now }: { readonly walletNonce?: string | undefined; readonly now: number },
): Readonly<Record<string, Json>> {
  const { protocol } = requireProtocol(parts, stored.protocol)
  const { clientId, responseUri } = channel
  const { responseMode } = keys
  return protocol.buildRequestObject({
    ...requestMembers(parts, stored, keys),
    ...{ clientId, responseUri, walletNonce, responseMode, now, language: 'dcql' },
  }) as Readonly<Record<string, Json>>
}

/** Returns the members that every request of OpenID4VP has. */
function requestMembers(parts: Parts, stored: StoredRequest, { nonce, state, kid, key }: StoredKeys) {
  const { d: _, ...encryptionPublicJwk } = key
  return {
    generation: { nonce, state, kid, encryptionPublicJwk },
    query: queryOf(stored),
    formats: openFormats(parts.formats),
    expiresAt: stored.expiresAt,
  }
}
