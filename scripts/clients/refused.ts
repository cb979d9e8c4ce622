// Requests that schemathesis makes from the API description, all valid by its schemas. The service may still
// refuse them for state or for a rule over several members. expected.json has these rules, and the largest
// number of refused requests of each operation.

import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { mintLeaf, mintRoot } from '../../test/support/certificates/certificates.ts'
import type { Server } from '../../test/support/service/server.ts'
import google from '../../test/vectors/google-wallet.json' with { type: 'json' }
import { ASSETS } from '../service/paths.mjs'
import { copyProgram } from './generated.ts'
import { execute, installPythonPackages, type Program } from './tools.ts'

/** Rules of an operation that refuse valid requests, and the number of refused requests at most. */
type Expected = Readonly<Record<string, { readonly at_most: number; readonly rules: readonly string[] }>>

const ORIGIN = 'https://shop.example'
const SETTINGS = { origins: [ORIGIN], return_urls: [`${ORIGIN}/`] }
/** Creations are limited for each relying party. */
const RELYING_PARTIES = 6
const EXAMPLES = 15
/** A change of the settings needs the client's secret until it has one. */
const SIGN_IN = {
  issuer: 'https://login.example.com',
  client_id: 'console',
  client_secret: 'a secret',
  roles: { support: ['verify:read'] },
}

export const REFUSED: readonly Program[] = [
  { name: 'schemathesis', tool: 'python3', isLong: true, run: runSchemathesis },
]

async function runSchemathesis(server: Server): Promise<string> {
  const cwd = copyProgram('schemathesis')
  const python = await installPythonPackages(cwd)
  const expected: Expected = JSON.parse(readFileSync(join(cwd, 'expected.json'), 'utf8'))
  const made = Array.from({ length: RELYING_PARTIES }, () => server.createRelyingParty(SETTINGS))
  const keys = (await Promise.all(made)).map(({ api_key }) => api_key)
  const reports = join(cwd, 'reports')
  rmSync(reports, { recursive: true, force: true })
  const operations = Object.keys(expected).flatMap((name) => ['--include-operation-id', name])
  const options = [
    ...['--url', server.baseUrl],
    ...['--mode', 'positive', '--phases', 'examples,coverage,fuzzing', '--seed', '1'],
    ...['--max-examples', String(EXAMPLES), '--no-shrink', '--continue-on-failure'],
    ...['--suppress-health-check', 'all', '--checks', 'not_a_server_error'],
    ...['--report', 'har', '--report-dir', reports, '--output-sanitize', 'false'],
  ]
  const command = [python, '-m', 'schemathesis.cli', 'run', join(ASSETS, 'openapi.json')]
  const env = { SCHEMATHESIS_HOOKS: 'hooks', GOOD_VALUES: JSON.stringify(await goodValues(keys)) }
  await execute([...command, ...options, ...operations], { cwd, env })
  const [report = ''] = readdirSync(reports)
  const counts = countRefusals(JSON.parse(readFileSync(join(reports, report), 'utf8')))
  const faults = Object.keys(expected).flatMap((name) => faultsOf(name, expected[name], counts[name]))
  if (faults.length > 0) throw new Error(`the description differs from the service:\n${faults.join('\n')}`)
  const all = Object.values(counts)
  const [sent, refused] = [sum(all.map(({ sent }) => sent)), sum(all.map(({ refused }) => refused))]
  const lines = Object.entries(counts).map(([name, count]) => `${name} ${count.refused} of ${count.sent}`)
  return `${refused} of ${sent} valid requests are refused, by known rules: ${lines.join(', ')}`
}

/** Values that a generator cannot make. hooks.py puts them into the requests. */
async function goodValues(apiKeys: readonly string[]) {
  const root = await mintRoot()
  const leaf = await mintLeaf(root)
  const { kty, crv, x, y, d } = leaf.privateJwk
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  return {
    api_keys: apiKeys,
    ec: { kty, crv, x, y },
    rsa: { kty: 'RSA', n: rsa.n, e: rsa.e },
    members: {
      origin: ORIGIN,
      wallet: 'eudi-android',
      return_url: `${ORIGIN}/`,
      failure_return_url: `${ORIGIN}/`,
      did: 'did:web:issuer.example',
      x509_ca_pem: root.pem,
      x509_certificate_pem: leaf.pem,
      verifier: { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem },
      console_sign_in: SIGN_IN,
      rp_metadata_bytes: google.rp_metadata_bytes,
      logo: 'data:image/png;base64,iVBORw0KGgo=',
    },
    names: { credential_types: 'pid', scope: 'age_over_18', wallet: 'eudi-android' },
    addresses: {
      // Nothing listens there.
      url: 'http://127.0.0.1:9/',
      ...Object.fromEntries(
        [
          'return_urls',
          'alternative_url',
          'privacy_policy_uri',
          'logo_uri',
          'issuer_url',
          'redirect_uris',
        ].map((name) => [name, `${ORIGIN}/`]),
      ),
      origins: 'https://shop.example:1',
    },
  }
}

type Har = {
  readonly log: {
    readonly entries: readonly {
      readonly request: { readonly method: string; readonly url: string }
      readonly response: { readonly status: number; readonly content: { readonly text?: string } }
    }[]
  }
}

type Count = { sent: number; refused: number; limited: number; readonly rules: Set<string> }

function countRefusals({ log }: Har): Readonly<Record<string, Count>> {
  const { paths } = JSON.parse(readFileSync(join(ASSETS, 'openapi.json'), 'utf8'))
  const operations = Object.entries(paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        operationId,
        pattern: new RegExp(`^${method} ${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
      })),
    )
    .sort((a, b) => a.pattern.source.split('[^').length - b.pattern.source.split('[^').length)
  const counts: Record<string, Count> = {}
  for (const { request, response } of log.entries) {
    const call = `${request.method} ${new URL(request.url).pathname}`
    const name = operations.find(({ pattern }) => pattern.test(call))?.operationId ?? call
    counts[name] ??= { sent: 0, refused: 0, limited: 0, rules: new Set() }
    const count = counts[name]
    count.sent += 1
    if (response.status === 429) count.limited += 1
    if (response.status !== 400 && response.status !== 422) continue
    count.refused += 1
    for (const rule of rulesOf(response.content.text ?? '')) count.rules.add(rule)
  }
  return counts
}

/** Returns the places and rules of a problem, with `*` for each index of a list. */
function rulesOf(body: string): readonly string[] {
  const { code, errors = [] } = JSON.parse(body)
  if (errors.length === 0) return [code]
  return errors.map(
    ({ pointer, message }: Readonly<Record<string, string>>) =>
      `${String(pointer).replace(/\/\d+(?=\/|$)/g, '/*')} ${message}`,
  )
}

function faultsOf(name: string, expected: Expected[string] | undefined, count: Count | undefined): string[] {
  if (count === undefined || expected === undefined) return [`${name} was not called`]
  const { sent, refused, limited, rules } = count
  const isKnown = (rule: string) => expected.rules.some((known) => rule.startsWith(known))
  return [
    ...[...rules].filter((rule) => !isKnown(rule)).map((rule) => `${name}: ${rule}`),
    ...(refused > expected.at_most ? [`${name}: ${refused} of ${sent} are refused`] : []),
    ...(limited > sent / 2 ? [`${name}: ${limited} of ${sent} met the limit of requests`] : []),
  ]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
