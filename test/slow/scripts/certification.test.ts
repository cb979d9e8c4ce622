// `npm run admin -- certification`: what it writes for the OpenID Foundation's suite is what the service
// accepts. The suite's part is played by foreign libraries with the keys of the files.

import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importJWK, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SigningKey } from '../../support/people/issuer.ts'
import { type MdocPerson, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import { PID, presentationOf } from '../../support/people/person.ts'
import { type CommandResult, runAdmin } from '../../support/service/admin-command.ts'
import { useOwnStage } from '../../support/service/stage.ts'

const stage = useOwnStage()
const folder = mkdtempSync(join(tmpdir(), 'certification-'))
const out = join(folder, 'out')
const MDL = 'org.iso.18013.5.1.mDL'
const CALLBACK = 'https://www.certification.openid.net/test/a/shop/callback'

let signer: MdocPerson
let run: CommandResult

beforeAll(async () => {
  signer = await makeMdocPerson()
  writeFileSync(join(folder, 'signer.pem'), signer.pki.leaf.pem)
  const flags = ['--alias', 'shop', '--out', out, '--mdoc-signer', join(folder, 'signer.pem')]
  run = await runAdmin(stage.service.server, ['certification', ...flags])
})
afterAll(() => rmSync(folder, { recursive: true }))

type Client = {
  readonly client_id: string
  readonly client_secret?: string
  readonly jwks?: { keys: [JWK] }
  readonly scope?: string
}
type Configuration = {
  readonly alias: string
  readonly server: {
    readonly discoveryUrl: string
    readonly allow_unexpected_metadata_fields: readonly string[]
  }
  readonly client: Client & { readonly request_object_trust_anchor_pem: string }
  readonly client2: Client
  readonly client_secret_post: Client
  readonly credential: { readonly signing_jwk: SigningKey['privateJwk'] & { readonly x5c: string[] } }
}

const read = (file: string) => JSON.parse(readFileSync(join(out, file), 'utf8')) as Configuration

/** Makes a request by the command. `from` has the files. Returns its link, and its verification. */
async function requestOf(format: string, from = out) {
  const { stdout } = await runAdmin(stage.service.server, ['certification', 'link', format, '--out', from])
  const [address = '', , page = ''] = stdout.split('\n')
  const { pathname, search } = new URL(address)
  expect(pathname).toBe('/test/a/shop/authorize')
  const { api_key } = JSON.parse(readFileSync(join(from, 'state.json'), 'utf8')) as { api_key: string }
  const [, id] = /\/s\/(v_[\w-]+)/.exec(page) ?? []
  const received = await stage.service.wallet.receive(`openid4vp://${search}`, { protocol: 'haip-1.0' })
  const poll = async () => {
    const headers = { Authorization: `Bearer ${api_key}` }
    const response = await stage.service.fetch(`/v1/verify/${id}`, { headers })
    return (await response.json()) as { status: string; attempts: unknown[] }
  }
  return { received, poll, status: async () => (await poll()).status }
}

/** Sends an mdoc of the suite's document signer. */
async function sendMdoc({ received }: Awaited<ReturnType<typeof requestOf>>) {
  const [query] = received.payload.dcql_query.credentials
  const names = { 'org.iso.18013.5.1': { given_name: 'Erika', family_name: 'Mustermann' } }
  const mdoc = await mdocOf(signer, MDL, names, received)
  return stage.service.wallet.present(received, { [query!.id]: [mdoc] })
}

it('the command writes configurations that only the owner can read, and prints the expected result of each test plan', () => {
  expect([run.code, run.stderr]).toEqual([0, ''])
  const plans = {
    'verifier-sd-jwt-vc.json': 'oid4vp-1final-verifier-haip-test-plan',
    'verifier-iso-mdl.json': 'oid4vp-1final-verifier-haip-test-plan',
    'provider-config.json': 'oidcc-config-certification-test-plan',
    'provider-basic.json': 'oidcc-basic-certification-test-plan',
    'provider-fapi2.json': 'fapi2-security-profile-final-test-plan',
  }
  for (const [file, plan] of Object.entries(plans)) {
    expect(read(file).alias).toBe('shop')
    expect(statSync(join(out, file)).mode & 0o777).toBe(0o600)
    expect(run.stdout).toMatch(new RegExp(`${file}\\n +plan +${plan}\\n.*\\n +expected +\\S`))
  }
})

it('the command prints a value for each variant that the plan of FAPI 2.0 asks for', () => {
  const [, line = ''] =
    /^ +plan +fapi2-security-profile-final-test-plan\n +variant +(.*)$/m.exec(run.stdout) ?? []
  expect(line.split(', ')).toEqual([
    'client_auth_type=private_key_jwt',
    'sender_constrain=dpop',
    'openid=openid_connect',
    'fapi_profile=plain_fapi',
    'authorization_request_type=simple',
  ])
})

describe('as a verifier, the service', () => {
  it('accepts a credential if the key in verifier-sd-jwt-vc.json signed it, and refuses another credential', async () => {
    const { signing_jwk } = read('verifier-sd-jwt-vc.json').credential
    const { x5c, ...privateJwk } = signing_jwk
    const good = { issuer: { alg: 'ES256', privateJwk }, x5c, claims: { iss: undefined } }
    const { received, status } = await requestOf('sd_jwt_vc')
    const [query] = received.payload.dcql_query.credentials
    const answer = async (telling: object) =>
      stage.service.wallet.present(received, {
        [query!.id]: [await presentationOf(stage.person, PID, received, telling)],
      })
    expect((await answer({})).status).toBe(400)
    expect(await status()).toBe('pending')
    expect((await answer(good)).status).toBe(200)
    expect(await status()).toBe('verified')
  })

  it('accepts an mdoc of the document signer that was given to the command', async () => {
    const request = await requestOf('iso_mdl')
    expect((await sendMdoc(request)).status).toBe(200)
    expect(await request.status()).toBe('verified')
  })

  it('refuses an mdoc if no document signer was given, and reports the SHA-256 of its signer’s certificate', async () => {
    const other = join(folder, 'no-signer')
    const { stdout } = await runAdmin(stage.service.server, [
      ...['certification', '--alias', 'shop', '--out', other],
    ])
    expect(stdout).toContain(join(other, 'verifier-iso-mdl.json'))
    expect(stdout).toContain('Without --mdoc-signer, the first module of ISO mdoc fails')
    const request = await requestOf('iso_mdl', other)
    expect((await sendMdoc(request)).status).toBe(400)
    const sha256 = createHash('sha256').update(new X509Certificate(signer.pki.leaf.pem).raw).digest('hex')
    expect(await request.poll()).toMatchObject({
      status: 'pending',
      attempts: [{ claimed_issuer: { certificate_sha256: sha256 } }],
    })
  })

  it('has the root certificate that the configuration files name for its requests', () => {
    for (const file of ['verifier-sd-jwt-vc.json', 'verifier-iso-mdl.json'])
      expect(read(file).client.request_object_trust_anchor_pem.trim()).toBe(stage.service.verifierCa.trim())
  })
})

describe('as a provider, the service', () => {
  const transport = {
    [oauth.customFetch]: (url: string, { body, ...init }: { body?: unknown }) =>
      stage.service.fetch(url, { ...init, body: (body ?? null) as string | null }),
  }

  /** Discovers the provider of a file, as the suite does. */
  async function discover(file: string): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(read(file).server.discoveryUrl.replace('/.well-known/openid-configuration', ''))
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...transport })
    return oauth.processDiscoveryResponse(issuer, response)
  }

  it.each(['provider-config.json', 'provider-basic.json', 'provider-fapi2.json'])(
    'has the metadata that %s names',
    async (file) => {
      expect(read(file).server.allow_unexpected_metadata_fields).toEqual(['verified_claims_supported'])
      expect(await discover(file)).toMatchObject({
        dpop_signing_alg_values_supported: ['ES256', 'PS256'],
        verified_claims_supported: true,
      })
    },
  )

  it.each(['client', 'client2', 'client_secret_post'] as const)(
    'accepts the secret of %s without PKCE',
    async (name) => {
      const { client_id, client_secret = '' } = read('provider-basic.json')[name]
      const as = await discover('provider-basic.json')
      const authentication =
        name === 'client_secret_post'
          ? oauth.ClientSecretPost(client_secret)
          : oauth.ClientSecretBasic(client_secret)
      const parameters = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', nonce: 'n' }
      const response = await oauth.pushedAuthorizationRequest(
        as,
        { client_id },
        authentication,
        parameters,
        transport,
      )
      expect(response.status).toBe(201)
    },
  )

  it.each([
    ['client', 'PS256'],
    ['client2', 'ES256'],
  ] as const)(
    'accepts the key and the two scopes of %s for FAPI 2.0, and requires DPoP proofs',
    async (name, alg) => {
      const { client_id, jwks, scope = '' } = read('provider-fapi2.json')[name]
      expect(scope.split(' ')).toHaveLength(2)
      const key = (await importJWK(jwks!.keys[0], alg)) as CryptoKey
      const as = await discover('provider-fapi2.json')
      const authentication = oauth.PrivateKeyJwt(key)
      const redirect_uri = name === 'client' ? CALLBACK : `${CALLBACK}?dummy1=lorem&dummy2=ipsum`
      const code_challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier())
      const parameters = {
        ...{ response_type: 'code', redirect_uri, scope },
        ...{ code_challenge, code_challenge_method: 'S256' },
      }
      const client: oauth.Client = { client_id }
      const pushed = await oauth.pushedAuthorizationRequest(as, client, authentication, parameters, transport)
      expect(pushed.status).toBe(201)
      const form = { code: 'none', redirect_uri, code_verifier: oauth.generateRandomCodeVerifier() }
      const errorWith = async (options: object) => {
        const all = { ...transport, ...options }
        const grant = 'authorization_code'
        const sent = await oauth.genericTokenEndpointRequest(as, client, authentication, grant, form, all)
        return ((await sent.json()) as { error: string }).error
      }
      expect(await errorWith({})).toBe('invalid_dpop_proof')
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
      expect(await errorWith({ DPoP })).toBe('invalid_grant')
    },
  )
})

it('each client for FAPI 2.0 has ES256 as the algorithm of its ID tokens, because FAPI 2.0 allows no RS256', async () => {
  const { relying_parties } = JSON.parse(readFileSync(join(out, 'state.json'), 'utf8')) as {
    relying_parties: readonly string[]
  }
  const { client, client2 } = read('provider-fapi2.json')
  for (const { client_id } of [client, client2]) {
    const response = await stage.service.admin('GET', `/${relying_parties[1]}/oidc_clients/${client_id}`)
    expect(await response.json()).toMatchObject({ id_token_signed_response_alg: 'ES256' })
  }
})

describe('the command is refused', () => {
  const refused = async (...args: readonly string[]) => {
    const { code, stderr } = await runAdmin(stage.service.server, ['certification', ...args])
    return [code, stderr]
  }
  const other = (name: string) => ['--alias', 'shop', '--out', join(folder, name)]

  it.each<[string, () => readonly string[], number, string]>([
    ['no alias', () => [], 2, '--alias is required'],
    ['a folder with files of an earlier run', () => ['--alias', 'shop', '--out', out], 2, 'earlier run'],
    ['a suite without https', () => [...other('a'), '--suite', 'http://suite.example'], 2, '--suite must be'],
    [
      'a signer that is no certificate',
      () => [...other('b'), '--mdoc-signer', join(out, 'state.json')],
      2,
      '--mdoc-signer',
    ],
    ['another root', () => [...other('c'), '--request-root', join(folder, 'signer.pem')], 1, 'not the root'],
    ['an unknown flag', () => ['--folder', 'x'], 2, "Unknown option '--folder'"],
    ['a link of an unknown format', () => ['link', 'ldp_vc'], 2, 'sd_jwt_vc|iso_mdl'],
    ['a link without files', () => ['link', 'iso_mdl', '--out', join(folder, 'none')], 2, 'does not exist'],
  ])('with %s', async (_, args, code, message) => {
    expect(await refused(...args())).toEqual([code, expect.stringContaining(message)])
  })
})
