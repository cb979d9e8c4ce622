// examples/keycloak: its files fit the service and each other. `npm run proof -- clients keycloak` runs them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectStatus } from '../../support/service/service.ts'
import { useStage } from '../../support/service/stage.ts'

const stage = useStage()
const ROOT = join(import.meta.dirname, '..', '..', '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

type Realm = {
  readonly realm: string
  readonly attributes: { readonly 'acr.loa.map': string }
  readonly identityProviders: readonly {
    readonly alias: string
    readonly config: Readonly<Record<string, string>>
  }[]
}

const realm = JSON.parse(read('examples/keycloak/realm.json')) as Realm

it('the service registers the client of the example, and its redirect_uri has the path of the realm', async () => {
  const body = JSON.parse(read('examples/keycloak/client.json')) as { redirect_uris: readonly string[] }
  await expectStatus(await stage.rp.call('POST', '/v1/oidc_clients', { body }), 201)
  const [provider] = realm.identityProviders
  const path = `/realms/${realm.realm}/broker/${provider?.alias}/endpoint`
  expect(body.redirect_uris.map((uri) => new URL(uri).pathname)).toEqual([path])
})

it('the realm has the endpoints, the scope and the levels of the metadata', async () => {
  const rp = stage.rp.relying_party_id
  const response = await stage.service.fetch(`/oidc/${rp}/.well-known/openid-configuration`)
  const metadata = (await response.json()) as Readonly<Record<string, string & readonly string[]>>
  const { config = {} } = realm.identityProviders[0] ?? {}
  const named = {
    issuer: 'issuer',
    authorizationUrl: 'authorization_endpoint',
    tokenUrl: 'token_endpoint',
    userInfoUrl: 'userinfo_endpoint',
    jwksUrl: 'jwks_uri',
  }
  for (const [member, name] of Object.entries(named))
    expect(config[member]?.replace(/^\$\{WALLET_ISSUER\}/, metadata.issuer ?? '')).toBe(metadata[name])
  expect(metadata.scopes_supported).toContain(config.defaultScope)
  expect(metadata.code_challenge_methods_supported).toContain(config.pkceMethod)
  expect(metadata.token_endpoint_auth_methods_supported).toContain(config.clientAuthMethod)
  const levels = JSON.parse(realm.attributes['acr.loa.map']) as object
  expect(Object.keys(levels)).toEqual(metadata.acr_values_supported)
})

it('the compose file sets each variable of the realm, and uses the Keycloak version that is tested', () => {
  const compose = read('examples/keycloak/compose.yaml')
  const variables = new Set(read('examples/keycloak/realm.json').match(/WALLET_\w+/g))
  for (const name of variables) expect(compose).toContain(`${name}: \${${name}:?}`)
  const [, version] =
    /<version>([\d.]+)<\/version>\s*<type>zip/.exec(read('test/clients/keycloak/pom.xml')) ?? []
  expect(compose).toContain(`image: keycloak/keycloak:${version}\n`)
})
