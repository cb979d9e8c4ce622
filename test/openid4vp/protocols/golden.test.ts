// One file for each protocol: the whole request of one generation, as its wallets get it. What a version does
// not have must not appear, and these files show it at a glance. A change of a file is a change of what
// wallets get.

import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../../src/formats/index.ts'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { PROTOCOL_IDS, PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import {
  buildAuthorizationRequestUri,
  buildWalletLinks,
} from '../../../src/openid4vp/request/authorization-request.ts'
import { type ClientIdPrefix, redirectUriClientId } from '../../../src/openid4vp/request/client-identifier.ts'
import type {
  Generation,
  ProtocolId,
  QueryLanguage,
  VerifierIdentity,
} from '../../../src/openid4vp/request/generation.ts'
import { signRequestObject, unsignedParameters } from '../../../src/openid4vp/request/request-object.ts'
import { createEncryptionKey } from '../../../src/openid4vp/response/response-encryption.ts'
import type { ResponseMode } from '../../../src/openid4vp/response/response-mode.ts'

const QUERY: DcqlQuery = {
  credentials: [
    {
      id: 'pid-dc_sd-jwt',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [
        { id: 'c1', path: ['age_equal_or_over', '18'] },
        { id: 'c2', path: ['nationalities', null] },
        { id: 'c3', path: ['birthdate'] },
      ],
      claim_sets: [
        ['c1', 'c2'],
        ['c2', 'c3'],
      ],
    },
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [{ path: ['org.iso.18013.5.1', 'age_over_18'], intent_to_retain: false }],
    },
  ],
  credential_sets: [{ options: [['pid-dc_sd-jwt'], ['mdl']] }],
}

const RESPONSE_URI = 'https://verifier.example/v1/verify/v_1/callback'

const GENERATION: Generation = {
  requestId: 'request',
  nonce: '0123456789abcdef0123456789abcdef',
  state: 'AAAB0000000000000000000000',
  kid: 'AAAB1111111111111111111111',
  encryptionPublicJwk: { kty: 'EC', crv: 'P-256', x: 'x-coordinate', y: 'y-coordinate' },
  createdAt: 1_800_000_000,
}

const CASES = PROTOCOL_IDS.flatMap((id) =>
  PROTOCOLS[id].queryLanguages.flatMap((language) =>
    PROTOCOLS[id].responseModes.map((responseMode) => ({ id, language, responseMode })),
  ),
)

describe('the request of a protocol', () => {
  it.each(CASES)(
    'for $id, the query language $language and the response mode $responseMode equals its golden file',
    async ({ id, language, responseMode }) => {
      const text = `${JSON.stringify(requestOf(id, language, responseMode), null, 2)}\n`
      await expect(text).toMatchFileSnapshot(`golden/${id}.${language}.${responseMode}.golden`)
    },
  )

  it.each(PROTOCOLS['openid4vp-1.0'].responseModes)(
    'for openid4vp-1.0, passed by value with the response mode %s, equals its golden file',
    async (responseMode) => {
      const asked = { clientId: redirectUriClientId(RESPONSE_URI), language: 'dcql', responseMode } as const
      const parameters = unsignedParameters(claimsOf('openid4vp-1.0', asked))
      const text = `${buildAuthorizationRequestUri({ parameters }).replaceAll('&', '\n&')}\n`
      await expect(text).toMatchFileSnapshot(`golden/openid4vp-1.0.by-value.${responseMode}.golden`)
    },
  )
})

/** Claims of each kind of identity, besides the claims of all requests. */
const IDENTITIES: Readonly<Record<SigningPrefix, Omit<VerifierIdentity, 'signingJwk'>>> = {
  x509_hash: {
    clientId: 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk',
    proof: { x5c: ['MIIleaf', 'MIIintermediate'] },
  },
  x509_san_dns: { clientId: 'x509_san_dns:verifier.example', proof: { x5c: ['MIIleaf'] } },
  decentralized_identifier: {
    clientId: 'decentralized_identifier:did:web:verifier.example',
    proof: { kid: 'did:web:verifier.example#cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s' },
  },
  verifier_attestation: {
    clientId: 'verifier_attestation:verifier.example',
    proof: { jwt: 'header.payload.signature' },
  },
}

const NAMED = PROTOCOL_IDS.flatMap((id) =>
  PROTOCOLS[id].clientIdPrefixes.filter(isSigning).map((prefix) => ({ id, prefix })),
)

type SigningPrefix = Exclude<ClientIdPrefix, 'redirect_uri'>

function isSigning(prefix: ClientIdPrefix): prefix is SigningPrefix {
  return prefix !== 'redirect_uri'
}

describe('the header and the links of a protocol', () => {
  it.each(NAMED)(
    'for $id and the client_id prefix $prefix equal their golden file',
    async ({ id, prefix }) => {
      const { privateJwk } = await createEncryptionKey()
      const clientId = PROTOCOLS[id].writeClientId(IDENTITIES[prefix].clientId)
      const identity = { ...IDENTITIES[prefix], clientId, signingJwk: privateJwk }
      const header = decodeProtectedHeader(await signRequestObject({ client_id: clientId }, identity))
      const text = `${JSON.stringify({ links: linksOf(id, clientId), header }, null, 2)}\n`
      await expect(text).toMatchFileSnapshot(`golden/${id}.${prefix}.golden`)
    },
  )
})

function linksOf(id: ProtocolId, clientId: string) {
  const requestUriMethod = PROTOCOLS[id].requestUriMethods.includes('post') ? 'post' : undefined
  const requestUri = 'https://verifier.example/r/request'
  return buildWalletLinks({ clientId, requestUri, requestUriMethod }, { openid4vp: 'openid4vp' })
}

function requestOf(id: ProtocolId, language: QueryLanguage, responseMode: ResponseMode) {
  const protocol = PROTOCOLS[id]
  const [prefix = 'x509_hash'] = protocol.clientIdPrefixes.filter(isSigning)
  const clientId = protocol.writeClientId(IDENTITIES[prefix].clientId)
  return { links: linksOf(id, clientId), claims: claimsOf(id, { clientId, language, responseMode }) }
}

type RequestParameters = {
  readonly clientId: string
  readonly language: QueryLanguage
  readonly responseMode: ResponseMode
}

function claimsOf(id: ProtocolId, { clientId, language, responseMode }: RequestParameters) {
  const protocol = PROTOCOLS[id]
  const query = {
    ...QUERY,
    credentials: QUERY.credentials.filter(({ format }) => protocol.supportsFormat(format, responseMode)),
  }
  return protocol.buildRequestObject({
    clientId,
    responseUri: RESPONSE_URI,
    responseMode,
    query,
    language,
    formats: FORMATS,
    generation: GENERATION,
    walletNonce: undefined,
    now: 1_800_000_000,
    expiresAt: 1_800_000_600,
  })
}
