// The fake Google Wallet refuses what the documentation excludes, and what it leaves open: each case changes
// one thing of a good request.

import { encode } from 'cborg'
import { describe, expect, it } from 'vitest'
import {
  apply,
  type Change,
  changed,
  goodHeader,
  goodPayload,
  makeStages,
  makeVerifier,
  NAME_SD_JWT,
  signRequest,
} from '../../../support/wallets/good-request.ts'
import { sha256 } from '../../../support/wallets/holdings.ts'
import type { CredentialQuery } from '../../../support/wallets/request-object.ts'
import { googleWallet } from '../../../support/wallets/world/google-wallet.ts'

const DISPLAY = {
  display_name: 'Test Shop',
  logo_uri: 'https://shop.example/logo.png',
  privacy_policy_uri: 'https://shop.example/privacy',
}
const METADATA = metadataBytes({ schema_version: 'v1', display: DISPLAY })
const registrar = (bytes: Uint8Array, critical = false) =>
  makeVerifier({
    extensions: [
      {
        oid: '1.3.6.1.4.1.11129.10.1',
        critical,
        value: Buffer.concat([Buffer.from([4, 32]), Buffer.from(sha256(bytes), 'base64url')]),
      },
    ],
  })

const ORIGIN = 'https://shop.example'
const MDL = 'org.iso.18013.5.1.mDL'
const NAME: CredentialQuery = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: MDL },
  claims: [
    { path: ['org.iso.18013.5.1', 'given_name'], intent_to_retain: false },
    { path: ['org.iso.18013.5.1', 'family_name'], intent_to_retain: false },
  ],
}
const ID_PASS = { ...NAME, id: 'id_pass', meta: { doctype_value: 'com.google.wallet.idcard.1' } }
const [stage, other] = await makeStages()

async function offer(change: Change & { readonly protocol?: string; readonly origin?: string } = {}) {
  const verifier = change.verifier ?? stage.verifier
  const { response_uri, state, ...good } = goodPayload(verifier, [NAME])
  const client_metadata = { ...good.client_metadata, gw_rp_metadata_bytes: METADATA.toString('base64url') }
  const payload = { ...good, client_metadata, response_mode: 'dc_api.jwt', expected_origins: [ORIGIN] }
  const parts = { payload, header: goodHeader(verifier), data: {} as Record<string, unknown> }
  apply(change, parts)
  const request = await signRequest(parts.header, payload, change.signer ?? verifier.leaf.privateJwk)
  const digital = { protocol: change.protocol ?? 'openid4vp-v1-signed', data: { request, ...parts.data } }
  const verifierCa = (change.verifier === other ? stage.verifier : verifier).root.pem
  const surroundings = { ...stage, verifierCa, fetch: () => Promise.reject() }
  return googleWallet.answer({ digital, origin: change.origin ?? ORIGIN }, surroundings)
}

const NAMES = { disclosed: [{ claim: 'given_name' }, { claim: 'family_name' }], credential: { data: {} } }

describe('a good request to Google Wallet', () => {
  it('is answered with the two requested elements', async () => {
    expect(await offer()).toMatchObject(NAMES)
  })

  it('may come from a verifier whose certificate is from a registrar', async () => {
    expect(await offer({ verifier: await registrar(METADATA) })).toMatchObject(NAMES)
  })

  it('may also name an aggregator', async () => {
    const both = metadataBytes({ schema_version: 'v1', display: DISPLAY, aggregator_info: DISPLAY })
    expect(await offer(metadata(both.toString('base64url')))).toMatchObject(NAMES)
  })

  it('may ask for either of two types', async () => {
    const credential_sets = [{ options: [['id_pass'], ['mdl']] }]
    const change = changed('payload.dcql_query', { credentials: [NAME, ID_PASS], credential_sets })
    expect(await offer(change)).toMatchObject(NAMES)
  })
})

const silent = (what: string) => `the documentation is silent about ${what}`
const CASES: readonly (readonly [string, Parameters<typeof offer>[0], string])[] = [
  ['no signature', { protocol: 'openid4vp-v1-unsigned' }, 'only signed requests are documented'],
  [
    'the protocol of ISO 18013-7 Annex C',
    { protocol: 'org-iso-mdoc' },
    'only signed requests are documented',
  ],
  ['no request object', changed('data.request', 1), 'data has no request object'],
  ['another authority', { verifier: other }, 'the certificate is not of Google and not of a registrar'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'expected_origins without the page',
    { origin: 'https://other.example' },
    'expected_origins lacks the page',
  ],
  [
    'x509_san_dns',
    changed('payload.client_id', 'x509_san_dns:shop.example'),
    'client_id is not x509_hash of the leaf',
  ],
  ['no metadata', metadata(), 'gw_rp_metadata_bytes is missing'],
  ['metadata without its tag', metadata('oWFhAQ'), 'gw_rp_metadata_bytes is not RelyingPartyMetadataBytes'],
  [
    'metadata of another version',
    metadata(metadataBytes({ schema_version: 'v2', display: DISPLAY }).toString('base64url')),
    'gw_rp_metadata_bytes is not RelyingPartyMetadataBytes',
  ],
  [
    'metadata without a privacy policy',
    metadata(metadataBytes({ schema_version: 'v1', display: { display_name: 'A' } }).toString('base64url')),
    'gw_rp_metadata_bytes is not RelyingPartyMetadataBytes',
  ],
  [
    'metadata that differ from the metadata in the certificate',
    { verifier: await registrar(Buffer.from('other')) },
    'the certificate has the hash of other metadata',
  ],
  [
    'a critical extension',
    { verifier: await registrar(METADATA, true) },
    'the extension of the metadata is critical',
  ],
  ['a response in the clear', changed('payload.response_mode', 'dc_api'), 'response_mode is not dc_api.jwt'],
  ['no encryption key', changed('payload.client_metadata.jwks'), 'no key to encrypt the response'],
  ['dc+sd-jwt', changed('payload.dcql_query.credentials', [NAME_SD_JWT]), 'only mso_mdoc is supported'],
  [
    'a PID',
    changed('query.meta.doctype_value', 'eu.europa.ec.eudi.pid.1'),
    'no credential of this document type',
  ],
  [
    'a type that the wallet does not hold',
    changed('payload.dcql_query.credentials', [ID_PASS]),
    'no eligible credential',
  ],
  [
    'an element that the document lacks',
    changed('query.claims.0.path', ['org.iso.18013.5.1', 'height']),
    'no eligible credential',
  ],
  ['two queries', changed('payload.dcql_query.credentials', [NAME, ID_PASS]), silent('several queries')],
  [
    'an option of two queries',
    changed('payload.dcql_query', {
      credentials: [NAME, ID_PASS],
      credential_sets: [{ options: [['mdl', 'id_pass']] }],
    }),
    silent('several queries'),
  ],
  [
    'an optional set',
    changed('payload.dcql_query.credential_sets', [{ options: [['mdl']], required: false }]),
    silent('several or optional sets'),
  ],
  ['claim_sets', changed('query.claim_sets', [['a']]), silent('claim_sets')],
  ['multiple', changed('query.multiple', true), silent('multiple')],
  ['trusted_authorities', changed('query.trusted_authorities', []), silent('trusted_authorities')],
  [
    'no holder binding',
    changed('query.require_cryptographic_holder_binding', false),
    silent('require_cryptographic_holder_binding'),
  ],
  ['values', changed('query.claims.0.values', ['Erika']), silent('values')],
  ['no claims', changed('query.claims'), silent('a query without claims')],
]

it.each(CASES)('Google Wallet refuses a request with %s', async (_, change, refused) => {
  expect(await offer(change)).toEqual({ refused })
})

it('Google Wallet refuses a request in a link', async () => {
  const surroundings = { ...stage, verifierCa: stage.verifier.root.pem, fetch: () => Promise.reject() }
  expect(await googleWallet.answer({ link: 'openid4vp://?client_id=a' }, surroundings)).toEqual({
    refused: 'only the Digital Credentials API opens the wallet',
  })
})

function metadata(text?: string): Change {
  return changed('payload.client_metadata.gw_rp_metadata_bytes', text)
}

function metadataBytes(content: object): Buffer {
  return Buffer.concat([Buffer.from([0xd8, 24]), encode(encode(content))])
}
