// api/wallets: `npm run admin -- wallets --relying-party` prints the `wallets` of a creation, for several
// policies and settings of a running service.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { walletTable } from '../../../scripts/admin/wallet-table.ts'
import { findSettings } from '../../../scripts/admin/wallets.mjs'
import { mintLeaf } from '../../support/certificates/certificates.ts'
import { runAdmin } from '../../support/service/admin-command.ts'
import { createRelyingParty, type RunningServer } from '../../support/service/server.ts'
import { sharedServer } from '../../support/service/shared-services.ts'
import { identityOf, makeVerifier, ORGANIZATION } from '../../support/wallets/good-request.ts'

let server: RunningServer
let folder: string
beforeAll(async () => {
  server = await sharedServer()
  folder = mkdtempSync(join(tmpdir(), 'admin-wallets-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NAME_QUERY = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['family_name'], values: ['Mustermann'] }],
      trusted_authorities: [{ type: 'aki', values: ['AAAA'] }],
    },
  ],
}
const NAME = { credential_types: ['pid'], scope: ['given_name'] }
const BODIES: readonly object[] = [
  { credential_types: ['age_attestation', 'pid', 'mdl'], scope: ['age_over_18'] },
  { ...NAME, scope: ['age_over_18'], allow_derived: true },
  { credential_types: ['pid', 'mdl'], scope: ['family_name'], credential_match: 'all' },
  { preset: 'age_over_18' },
  { dcql_query: NAME_QUERY },
  { ...NAME, protocol: 'haip-1.0' },
  { ...NAME, protocol: 'openid4vp-draft18' },
]

describe.each([
  ['of a relying party without settings', async () => ({})],
  ['of a relying party with unsigned requests', async () => ({ by_value: true, eu_age_verification: true })],
  ['of a relying party with all settings that a wallet may need', everything],
])('the wallet results %s', (_, settingsOf) => {
  it('equal the wallet results in the response to each create request', async () => {
    const party = await createRelyingParty(server, { ...(await settingsOf()), livemode: false })
    const { relying_party_id: id } = party
    const env = { STATE_DIR: server.stateDir, PORT: new URL(server.origin).port }
    const flags = { 'relying-party': id, settings: undefined, livemode: undefined }
    const found = (await findSettings(flags, env)) as Parameters<typeof walletTable>[1]
    for (const body of BODIES) {
      const wallets = await created(party, body)
      expect([body, await walletTable(body, found)]).toMatchObject([body, { wallets }])
    }
    // The command itself, which takes a second to load.
    const [body = {}] = BODIES
    expect(JSON.parse((await run(id, body)).stdout)).toEqual(await created(party, body))
  })
})

it('the command prints status 404 for a relying party that does not exist, and exits with 1', async () => {
  const { code, stderr } = await run('rp_unknown', BODIES[0]!)
  expect([code, stderr]).toEqual([1, expect.stringContaining('404')])
})

function run(relyingParty: string, body: object) {
  const path = join(folder, `${randomUUID()}.json`)
  writeFileSync(path, JSON.stringify(body))
  const args = ['wallets', '--policy', path, '--relying-party', relyingParty, '--json-output']
  return runAdmin(server, args)
}

async function created({ api_key }: { readonly api_key: string }, body: object): Promise<unknown> {
  const response = await fetch(`${server.origin}/v1/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { wallets } = (await response.json()) as { readonly wallets: unknown }
  return wallets
}

async function everything(): Promise<object> {
  const altNames = [{ type: 'dns', value: 'localhost' }] as const
  const { root, leaf } = await makeVerifier({ subject: ORGANIZATION, altNames })
  const reader = await mintLeaf(root, { subject: 'CN=Shop', extendedKeyUsage: ['1.0.18013.5.1.6'] })
  return {
    origins: ['https://shop.example'],
    by_value: true,
    formats: ['mso_mdoc', 'dc+sd-jwt'],
    request_options: { request_uri_method: 'get' },
    google_wallet: {
      logo_uri: 'https://shop.example/logo.png',
      privacy_policy_uri: 'https://shop.example/privacy',
    },
    verifier: {
      ...identityOf(leaf),
      root_certificate_pem: root.pem,
      reader_certificates: [{ ...identityOf(reader), domains: ['shop.example'] }],
    },
  }
}
