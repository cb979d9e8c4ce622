import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENVIRONMENT_FILE } from '../../scripts/deploy/environment.mjs'
import { bundleErrors, preflight } from '../../scripts/deploy/preflight.mjs'
import { stepsOf } from '../../scripts/deploy/upload.mjs'
import { ROOT } from '../../scripts/service/paths.mjs'
import { readWranglerToml } from '../../scripts/service/workerd-config.mjs'
import {
  type Chain,
  dryRun,
  type Environment,
  goodEnvironment,
  HOST,
  identityOf,
  keyOf,
  mintChain,
} from '../support/service/deployment.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')

let chain: Chain
let good: Environment
beforeAll(async () => {
  chain = await mintChain()
  good = await goodEnvironment(chain)
})

function without(name: string): Environment {
  const { [name]: _, ...rest } = good
  return rest
}

/** Returns the errors of the good environment with one change. */
async function errorsWith(change: Record<string, string>, local: readonly string[] = []) {
  return (await preflight({ ...good, ...change }, { now: NOW, local })).errors
}

describe('the check before a deployment', () => {
  it('accepts a good environment, and reports the certificate’s expiry and the jurisdiction', async () => {
    const { errors, notes } = await preflight(good, { now: NOW, local: ['other'] })
    expect(errors).toEqual([])
    expect(notes).toEqual([
      expect.stringMatching(/^certificate +until 2049-12-31$/),
      expect.stringMatching(/^jurisdiction +eu\./),
      expect.stringMatching(
        /^not set +OIDC_KEYS, OIDC_SUBJECT_KEY, VERIFIER_FURTHER_KEYS, TSA_CA_PEM, TSA_AUTHORIZATION:/,
      ),
    ])
  })

  it.each([
    'BASE_URL',
    'SERVER_SECRET',
    'ACCESS_TOKEN_KEYS',
    'VERIFIER_SIGNING_JWK',
    'VERIFIER_CERTIFICATE_CHAIN_PEM',
  ])('reports only the missing %s', async (name) => {
    expect((await preflight(without(name), { now: NOW, local: [] })).errors).toEqual([`${name}: is missing`])
  })

  it.each<[string, Record<string, string>, RegExp]>([
    ['a BASE_URL with http', { BASE_URL: `http://${HOST}` }, /^BASE_URL: must be/],
    ['a BASE_URL with a path', { BASE_URL: `https://${HOST}/` }, /^BASE_URL: must be/],
    [
      'a private name',
      { BASE_URL: 'https://verifier.internal' },
      /^BASE_URL: must be https on a public name/,
    ],
    ['a loopback address', { BASE_URL: 'https://localhost' }, /^BASE_URL: must be https on a public name/],
    ['ALLOW_LOOPBACK', { ALLOW_LOOPBACK: '1' }, /^ALLOW_LOOPBACK: must be off/],
    ['CLIENT_IP_HEADER', { CLIENT_IP_HEADER: 'x-real-ip' }, /^CLIENT_IP_HEADER: must not be set/],
    ['a short server secret', { SERVER_SECRET: 'AAAA' }, /^SERVER_SECRET: must be base64url of 32 bytes/],
    ['a server secret of one byte', { SERVER_SECRET: 'A'.repeat(43) }, /^SERVER_SECRET: must be random/],
    ['a short admin token', { ADMIN_TOKEN: 'secret' }, /^ADMIN_TOKEN: /],
    ['an admin token of one letter', { ADMIN_TOKEN: 'a'.repeat(40) }, /^ADMIN_TOKEN: must be random/],
    ['a short metrics token', { METRICS_TOKEN: 'secret' }, /^METRICS_TOKEN: /],
    ['a metrics token of one letter', { METRICS_TOKEN: 'a'.repeat(40) }, /^METRICS_TOKEN: must be random/],
    ['an unknown jurisdiction', { JURISDICTION: 'mars' }, /^JURISDICTION: must be "eu" or "fedramp"/],
    ['a misspelt name', { ADMIN_TOKN: 'x' }, /^ADMIN_TOKN: is not a variable of a deployment/],
    [
      'a value that is too long',
      { WALLET_SCHEME: 'a'.repeat(5121) },
      /^WALLET_SCHEME: must be at most 5120 bytes/,
    ],
    ['keys that are not JSON', { ACCESS_TOKEN_KEYS: '{' }, /^ACCESS_TOKEN_KEYS: must be JSON/],
    ['keys that are not a JWK Set', { ACCESS_TOKEN_KEYS: '{}' }, /^ACCESS_TOKEN_KEYS\.keys: (?!is missing)/],
    [
      'a verifier key without its members',
      { VERIFIER_SIGNING_JWK: '{"kty":"EC"}' },
      /^VERIFIER_SIGNING_JWK\.crv: (?!is missing)/,
    ],
  ])('reports an error for %s', async (_, change, error) => {
    const errors = await errorsWith(change)
    expect(errors[0]).toMatch(error)
    // With another host, the certificate does not name it, either.
    const others = errors.filter((each) => !/must name (localhost|verifier\.internal)$/.test(each))
    expect(new Set(others.map((each) => each.split(/[.:]/)[0])).size).toBe(1)
  })

  it('requires a JURISDICTION, which may be “none”', async () => {
    expect((await preflight(without('JURISDICTION'), { now: NOW, local: [] })).errors).toEqual([
      'JURISDICTION: must be eu, fedramp or none: it cannot be changed later',
    ])
    expect(await errorsWith({ JURISDICTION: 'none' })).toEqual([])
  })

  it('reports all errors at once', async () => {
    const errors = await errorsWith({ BASE_URL: 'http://localhost', SERVER_SECRET: '', ALLOW_LOOPBACK: '1' })
    const names = errors.map((error: string) => error.split(':')[0])
    expect(new Set(names)).toEqual(
      new Set(['BASE_URL', 'SERVER_SECRET', 'ALLOW_LOOPBACK', 'VERIFIER_CERTIFICATE_CHAIN_PEM']),
    )
  })

  it('reports an access token key whose private and public parts do not match', async () => {
    const key = { ...keyOf(chain.leaf), d: keyOf(chain.issuer).d, kid: 'broken' }
    const ACCESS_TOKEN_KEYS = JSON.stringify({ keys: [key] })
    expect(await errorsWith({ ACCESS_TOKEN_KEYS })).toEqual([
      'ACCESS_TOKEN_KEYS: the private and public parts of key broken must match',
    ])
  })

  it('rejects an admin token equal to the server secret', async () => {
    expect(await errorsWith({ ADMIN_TOKEN: good.SERVER_SECRET ?? '' })).toEqual([
      'ADMIN_TOKEN: must differ from SERVER_SECRET, from which every key is derived',
    ])
  })

  it.each(['ADMIN_TOKEN', 'SERVER_SECRET', 'ACCESS_TOKEN_KEYS', 'VERIFIER_SIGNING_JWK'])(
    'rejects the %s that the local service uses',
    async (name) => {
      const local = [`{ "kept": ${good[name]} }`]
      expect(await errorsWith({}, local)).toEqual([
        `${name}: must differ from that of the local service (STATE_DIR)`,
      ])
    },
  )

  it.each<[string, () => Promise<Environment>, RegExp]>([
    [
      'of another key',
      async () => ({ VERIFIER_SIGNING_JWK: JSON.stringify(keyOf(chain.issuer)) }),
      /must begin with the certificate of signing_jwk/,
    ],
    [
      'with its root in the chain',
      async () => identityOf(chain, [chain.leaf, chain.issuer, chain.root]),
      /self-signed/,
    ],
    [
      'without its intermediate issuer',
      async () => identityOf(chain, [chain.leaf, (await mintChain()).issuer]),
      /issued by the next/,
    ],
    [
      'that has expired',
      async () => identityOf(await mintChain({ notAfter: new Date(NOW - 1000) })),
      /certificates that are valid now/,
    ],
    [
      'that is not valid yet',
      async () => identityOf(await mintChain({ notBefore: new Date(NOW + 60_000) })),
      /certificates that are valid now/,
    ],
    [
      'of an authority',
      async () => identityOf(await mintChain({ ca: true })),
      /a leaf, not with an authority/,
    ],
    [
      'for another host',
      async () => identityOf(await mintChain({ altNames: [{ type: 'dns', value: 'shop.org' }] })),
      /must name verify\.shop\.org/,
    ],
    ['that is not PEM', async () => ({ VERIFIER_CERTIFICATE_CHAIN_PEM: 'MII' }), /must be PEM/],
  ])('reports a certificate %s', async (_, change, error) => {
    expect(await errorsWith(await change())).toEqual([
      expect.stringMatching(new RegExp(`^VERIFIER_CERTIFICATE_CHAIN_PEM: .*${error.source}`)),
    ])
  })

  it('reports when the certificate must be renewed', async () => {
    const soon = identityOf(await mintChain({ notAfter: new Date(NOW + 20 * 86_400_000) }))
    const { errors, notes } = await preflight({ ...good, ...soon }, { now: NOW, local: [] })
    expect([errors, notes[0]]).toEqual([[], expect.stringMatching(/2026-12-11: renew it now$/)])
  })
})

describe('a Worker that is uploaded', () => {
  const fit = { gzipped: 252 * 1024, background: 40 * 1024, wrangler: readWranglerToml(), now: NOW }
  it.each<[string, object, string[]]>([
    ['is accepted within all limits', {}, []],
    ['is refused above the size limit', { gzipped: 252 * 1024 + 1 }, [expect.stringMatching(/^bundle: /)]],
    [
      'is refused above the size limit of the Worker for background work',
      { background: 40 * 1024 + 1 },
      [expect.stringMatching(/^background bundle: /)],
    ],
    [
      'is refused with a compatibility date in the future',
      { now: Date.parse('2026-01-01') },
      [expect.stringMatching(/compatibility_date/)],
    ],
    [
      'is refused without global_fetch_strictly_public',
      { wrangler: { ...readWranglerToml(), compatibilityFlags: [] } },
      [expect.stringMatching(/global_fetch_strictly_public/)],
    ],
  ])('a Worker that is uploaded %s', (_, change, expected) => {
    expect(bundleErrors({ ...fit, ...change })).toEqual(expected)
  })

  it('the verifier is uploaded after the other Workers, with its variables, secrets and domain', () => {
    const steps = stepsOf(good, { secretsFile: '/s.json', commit: 'abc', isRouted: false, digest: 'd1' })
    expect(steps).toEqual([
      [
        ...['deploy', 'dist/background.js', '--no-bundle', '--no-minify'],
        ...['--config', 'wrangler.background.toml', '--tag', 'abc'],
      ],
      ...[
        ['dist/sandbox.js', 'wrangler.sandbox.toml'],
        ['dist/demo-shop.js', 'examples/demo-shop/wrangler.toml'],
      ].map(([bundle, config]) => [
        ...['deploy', bundle, '--no-bundle', '--no-minify', '--config', config],
        ...['--var', `BASE_URL:https://${HOST}`, '--tag', 'abc'],
      ]),
      [
        ...['deploy', 'dist/worker.js', '--no-bundle', '--no-minify'],
        ...['--var', `BASE_URL:https://${HOST}`, '--var', 'JURISDICTION:eu', '--var', 'BUNDLE_DIGEST:d1'],
        ...['--secrets-file', '/s.json', '--domain', HOST, '--tag', 'abc'],
      ],
    ])
    const nowhere = { ...good, JURISDICTION: 'none' }
    const routed = stepsOf(nowhere, {
      secretsFile: '/s.json',
      commit: undefined,
      isRouted: true,
      digest: 'd2',
    }).at(-1)
    expect(routed).toEqual([
      ...['deploy', 'dist/worker.js', '--no-bundle', '--no-minify'],
      ...['--var', `BASE_URL:https://${HOST}`, '--var', 'BUNDLE_DIGEST:d2', '--secrets-file', '/s.json'],
    ])
  })
})

describe('npm run deploy -- --dry-run', () => {
  const directory = mkdtempSync(join(tmpdir(), 'deploy-test-'))
  afterAll(() => rmSync(directory, { recursive: true }))

  it('runs no other command after an error', () => {
    const { status, stdout, stderr } = dryRun(directory, { ...good, ALLOW_LOOPBACK: '1' })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('ALLOW_LOOPBACK: must be off')
  })

  it('reads secrets from a file that git ignores', () => {
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('*.env')
    expect(ENVIRONMENT_FILE).toMatch(/^[^/]+\.env$/)
  })
})
