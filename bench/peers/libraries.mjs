// A verifier of the least possible code on libraries: @openid4vc/openid4vp, dcql and @sd-jwt/sd-jwt-vc, with
// sessions in a map. `POST /sessions` creates a session, and `GET /sessions/<id>` returns its status.
//
// Environment: PEER_ANCHOR, the trusted certificate; PEER_CERTIFICATE and PEER_KEY, the verifier's own
// (base64 of the DER, a private JWK). Prints `{ "origin": … }` when ready.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  randomUUID,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto'
import { createServer } from 'node:http'
import { setGlobalConfig } from '@openid4vc/oauth2'
import { Openid4vpVerifier } from '@openid4vc/openid4vp'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { DcqlPresentationResult, DcqlQuery } from 'dcql'
import { calculateJwkThumbprint, compactDecrypt, exportJWK, generateKeyPair } from 'jose'
import { QUERY } from './query.mjs'

setGlobalConfig({ allowInsecureUrls: true }) // the bench runs over http

const LONGEST_BODY = 100_000
const KEY_BINDING_SECONDS = 300
const FOUND = /^\/(sessions|requests|responses)\/([0-9a-f-]{36})$/
const NOT_FOUND = { status: 404, body: { error: 'not_found' } }

const anchor = new X509Certificate(Buffer.from(process.env.PEER_ANCHOR, 'base64'))
const certificate = process.env.PEER_CERTIFICATE
const key = createPrivateKey({ key: JSON.parse(process.env.PEER_KEY), format: 'jwk' })
const clientId = `x509_hash:${sha256(Buffer.from(certificate, 'base64')).toString('base64url')}`
const query = DcqlQuery.parse(QUERY)
DcqlQuery.validate(query)
const sessions = new Map()

const server = createServer((request, response) => {
  answer(request)
    .catch((error) => ({ status: 400, body: { error: String(error.message) } }))
    .then(({ status, body, type = 'application/json' }) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ origin: originOf() })))

const originOf = () => `http://127.0.0.1:${server.address().port}`

async function answer(request) {
  if (request.method === 'POST' && request.url === '/sessions') return { status: 201, body: await create() }
  const [, kind, id] = FOUND.exec(request.url) ?? []
  const session = sessions.get(id)
  if (session === undefined) return NOT_FOUND
  if (request.method === 'GET' && kind === 'sessions')
    return { status: 200, body: { status: session.status } }
  if (request.method === 'GET' && kind === 'requests') {
    return { status: 200, body: session.jwt, type: 'application/oauth-authz-req+jwt' }
  }
  if (request.method !== 'POST' || kind !== 'responses') return NOT_FOUND
  await receive(session, Object.fromEntries(new URLSearchParams(await textOf(request))))
  return { status: 200, body: {} }
}

async function create() {
  const id = randomUUID()
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const jwk = { ...publicJwk, use: 'enc', alg: 'ECDH-ES', kid: await calculateJwkThumbprint(publicJwk) }
  const payload = {
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    client_id: clientId,
    response_uri: `${originOf()}/responses/${id}`,
    nonce: randomUUID(),
    state: randomUUID(),
    dcql_query: QUERY,
    client_metadata: {
      jwks: { keys: [jwk] },
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
      },
      encrypted_response_enc_values_supported: ['A128GCM'],
    },
  }
  const request_uri = `${originOf()}/requests/${id}`
  const { jar } = await new Openid4vpVerifier({ callbacks: { signJwt } }).createOpenId4vpAuthorizationRequest(
    {
      authorizationRequestPayload: payload,
      jar: {
        jwtSigner: { method: 'x5c', x5c: [certificate], alg: 'ES256' },
        requestUri: request_uri,
        expiresInSeconds: 300,
      },
    },
  )
  sessions.set(id, { status: 'pending', jwt: jar.authorizationRequestJwt, payload, jwk, privateKey })
  return { id, request_uri }
}

async function signJwt(_signer, { header, payload }) {
  const data = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' })
  return {
    jwt: `${data}.${signature.toString('base64url')}`,
    signerJwk: createPublicKey(key).export({ format: 'jwk' }),
  }
}

async function receive(session, authorizationResponse) {
  const callbacks = { decryptJwe: decryptWith(session), verifyJwt: () => ({ verified: false }) }
  const response = await new Openid4vpVerifier({ callbacks }).parseOpenid4vpAuthorizationResponse({
    authorizationResponse,
    authorizationRequestPayload: session.payload,
    callbacks,
  })
  const presentations = {}
  for (const [id, all] of Object.entries(response.dcql.presentations)) {
    presentations[id] = await Promise.all(all.map((one) => verifyPresentation(one, session.payload)))
  }
  const result = DcqlPresentationResult.fromDcqlPresentation(presentations, { dcqlQuery: query })
  if (!result.can_be_satisfied) throw new Error('the presentation does not satisfy the query')
  if (session.status !== 'pending') throw new Error('the session has ended')
  session.status = 'verified'
}

function decryptWith({ privateKey, jwk }) {
  return async (jwe) => {
    const { plaintext } = await compactDecrypt(jwe, privateKey)
    return { decrypted: true, decryptionJwk: jwk, payload: Buffer.from(plaintext).toString() }
  }
}

/** Verifies signature, certificate, key binding and times. Returns the credential for `dcql`. */
async function verifyPresentation(presentation, { nonce }) {
  const instance = new SDJwtVcInstance({
    hasher: (data, alg) => createHash(alg.replace('sha-', 'sha')).update(data).digest(),
    verifier: (data, signature) => isSigned(data, signature, issuerKeyOf(data)),
    kbVerifier: (data, signature, { cnf }) =>
      isSigned(data, signature, createPublicKey({ key: cnf.jwk, format: 'jwk' })),
  })
  const { kb } = await instance.verify(presentation, { keyBindingNonce: nonce })
  const age = Date.now() / 1000 - kb.payload.iat
  if (kb.payload.aud !== clientId) throw new Error('the key binding names another audience')
  if (Math.abs(age) > KEY_BINDING_SECONDS) throw new Error('the key binding is not current')
  const claims = await instance.getClaims(presentation)
  return { credential_format: 'dc+sd-jwt', vct: claims.vct, claims, cryptographic_holder_binding: true }
}

/** Returns the key of the certificate in `x5c`, which the anchor must have signed. */
function issuerKeyOf(data) {
  const { alg, x5c } = JSON.parse(Buffer.from(data.split('.')[0], 'base64url').toString())
  const leaf = new X509Certificate(Buffer.from(x5c[0], 'base64'))
  const now = Date.now()
  if (alg !== 'ES256') throw new Error('the algorithm is not ES256')
  if (!leaf.checkIssued(anchor) || !leaf.verify(anchor.publicKey))
    throw new Error('the issuer is not trusted')
  if (now < leaf.validFromDate.getTime() || now > leaf.validToDate.getTime())
    throw new Error('the certificate is not valid now')
  return leaf.publicKey
}

function isSigned(data, signature, publicKey) {
  const bytes = Buffer.from(signature, 'base64url')
  return verify('sha256', Buffer.from(data), { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes)
}

async function textOf(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > LONGEST_BODY) throw new Error('the body is too long')
  }
  return text
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest()
}
