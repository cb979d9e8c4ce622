// Fixtures of the protocol tests: a verifier with its own authority, one generation, a policy's query. The
// plain credential format has presentations that state their verification result as JSON.

import '../support/reflect-metadata.ts'

import { randomBytes } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { decodeBase64 } from '../../src/codec/base64url.ts'
import type { Json } from '../../src/codec/json.ts'
import type { PrivateJwk } from '../../src/crypto/jwk.ts'
import { sdJwtVc } from '../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type {
  Context,
  CredentialFormat,
  PresentationRefusal,
  RequestBinding,
  VerifiedCredential,
} from '../../src/formats/verification/format.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import {
  attestationClientId,
  type ClientIdPrefix,
  didClientId,
  x509HashClientId,
  x509SanDnsClientId,
} from '../../src/openid4vp/request/client-identifier.ts'
import type { Generation, VerifierIdentity } from '../../src/openid4vp/request/generation.ts'
import {
  buildDidDocument,
  deriveVerificationMethod,
  verifierDid,
} from '../../src/openid4vp/request/verifier-did.ts'
import { createEncryptionKey } from '../../src/openid4vp/response/response-encryption.ts'
import { err, ok } from '../../src/result.ts'
import { type Attester, makeAttester } from '../support/people/attester.ts'

export const NOW = 1_800_000_000
export const BASE_URL = 'https://verifier.example'
export const RESPONSE_URI = `${BASE_URL}/v1/verify/v_1/callback`
export const REQUEST_URI = `${BASE_URL}/r/4fJ0tqRk1Xw`

export const QUERY: DcqlQuery = {
  credentials: [
    {
      id: 'age',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
      claims: [{ path: ['age_over_18'] }],
    },
  ],
}

export type Verifier = {
  readonly ca: string
  /** The leaf, as in `x5c`. */
  readonly leaf: string
  readonly identities: Readonly<Record<Exclude<ClientIdPrefix, 'redirect_uri'>, VerifierIdentity>>
  /** Document at `/.well-known/did.json`. */
  readonly didDocument: object
  /** Who attests the verifier. */
  readonly attester: Attester
}

/** A verifier certificate for `verifier.example`, and the authority (PEM) that issued it. */
export async function createVerifier(): Promise<Verifier> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const caKeys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const validity = { notBefore: new Date((NOW - 86_400) * 1000), notAfter: new Date((NOW + 86_400) * 1000) }
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test authority',
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
    ...validity,
  })
  const leaf = await x509.X509CertificateGenerator.create({
    subject: 'CN=Test verifier',
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'verifier.example' }])],
    ...validity,
  })
  const der = Buffer.from(leaf.rawData).toString('base64')
  const signingJwk = (await crypto.subtle.exportKey('jwk', keys.privateKey)) as PrivateJwk
  const identity = (clientId: string) => ({ clientId, proof: { x5c: [der] }, signingJwk })
  const did = verifierDid(BASE_URL, null)!
  const kid = await deriveVerificationMethod(did, signingJwk)
  const attester = await makeAttester()
  const jwt = await attester.attest(signingJwk, { exp: NOW + 86_400 })
  return {
    ca: ca.toString('pem'),
    leaf: der,
    identities: {
      x509_hash: identity(await x509HashClientId(decodeBase64(der)!)),
      x509_san_dns: identity(x509SanDnsClientId(BASE_URL)!),
      verifier_attestation: { clientId: attestationClientId('verifier.example'), proof: { jwt }, signingJwk },
      decentralized_identifier: { clientId: didClientId(did), proof: { kid }, signingJwk },
    },
    didDocument: await buildDidDocument(did, [signingJwk]),
    attester,
  }
}

/** A generation as the session makes it: fresh nonce, state and key. */
export async function createGeneration(): Promise<Generation & { readonly privateJwk: PrivateJwk }> {
  const { publicJwk, privateJwk } = await createEncryptionKey()
  return {
    requestId: randomBytes(16).toString('base64url'),
    nonce: randomBytes(16).toString('hex'),
    state: randomBytes(16).toString('base64url'),
    kid: randomBytes(9).toString('base64url'),
    encryptionPublicJwk: publicJwk,
    createdAt: NOW,
    privateJwk,
  }
}

/** Content of a presentation in the plain format. */
export type PlainPresentation = Partial<VerifiedCredential> & { readonly rejection?: PresentationRefusal }

/** A presentation that verifies to a credential with these properties, or to the rejection. */
export function plain(presentation: PlainPresentation): string {
  return JSON.stringify(presentation)
}

/** Verifies what `plain` made; records what it was asked. */
export function plainFormat(asked: RequestBinding[] = []): CredentialFormat {
  return {
    id: 'dc+sd-jwt',
    metadata: { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
    clauses: { ...sdJwtVc.clauses, structure: 'a clause of this format' },
    metaTypes: (meta) => (Array.isArray(meta.vct_values) ? (meta.vct_values as string[]) : undefined),
    typesPerMeta: 'several',
    buildMeta: (types) => ({ vct_values: types }),
    isClaimsPath: () => true,
    claimsParameters: {},
    verify: async (presentation: Json, expected: RequestBinding, context: Context) => {
      context.trace('structure', 'pass')
      asked.push(expected)
      const { rejection, ...found } = JSON.parse(presentation as string) as PlainPresentation
      return rejection === undefined ? ok({ ...CREDENTIAL, ...found }) : err(rejection)
    },
  }
}

/** An authentic credential that answers `QUERY`. */
export const CREDENTIAL: VerifiedCredential = {
  format: 'dc+sd-jwt',
  typeIdentifier: 'urn:eu.europa.ec.av:1',
  credentialType: 'age_attestation',
  issuer: 'https://issuer.example',
  anchor: { name: 'issuer', assurance_level: 'substantial' },
  subjectNamespace: 'issuer:https://issuer.example',
  authorityKeyIdentifiers: [],
  issuerPath: [],
  claims: { age_over_18: true },
  holderBound: true,
  status: 'not_present',
  reasons: [],
}
