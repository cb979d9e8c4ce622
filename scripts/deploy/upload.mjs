// Uploads with one `wrangler deploy` for each Worker. Secrets go with it, so that code, keys and certificates
// change in one step.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BACKGROUND_BUNDLE, BUNDLE, digestOf, SANDBOX_BUNDLE, SHOP_BUNDLE } from '../service/bundle.mjs'
import {
  availableNode,
  BACKGROUND_CONFIG,
  IS_RELEASE,
  ROOT,
  SANDBOX_CONFIG,
  SHOP_CONFIG,
} from '../service/paths.mjs'
import { PLAIN, plainVariables, SECRET } from './environment.mjs'

/** A bundle is uploaded as it was built and tested. The verifier's bundle is uploaded with its source map. */
const built = (bundle) => [relative(ROOT, bundle), '--no-bundle', '--no-minify']
const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

/**
 * Returns the arguments of each wrangler run, in order. The verifier comes last, since the platform
 * requires the target of a binding to exist. `isRouted`: the account already routes BASE_URL to the Worker.
 * Otherwise its host becomes the custom domain. `digest`: SHA-256 of the verifier's bundle, for evidence.
 */
export function stepsOf(environment, { secretsFile, commit, isRouted, digest }) {
  const { BASE_URL } = environment
  const { hostname } = new URL(BASE_URL)
  const variables = plainVariables(environment).flatMap((name) => ['--var', `${name}:${environment[name]}`])
  const domain = isRouted || hostname.endsWith('.workers.dev') ? [] : ['--domain', hostname]
  const tag = commit === undefined ? [] : ['--tag', commit]
  const origin = ['--var', `BASE_URL:${BASE_URL}`]
  const beside = [
    [BACKGROUND_BUNDLE, BACKGROUND_CONFIG, []],
    [SANDBOX_BUNDLE, SANDBOX_CONFIG, origin],
    [SHOP_BUNDLE, SHOP_CONFIG, origin],
  ]
  return [
    ...beside.map(([bundle, config, more]) => [
      ...['deploy', ...built(bundle), '--config', config, ...more, ...tag],
    ]),
    [
      ...['deploy', ...built(BUNDLE), ...variables, '--var', `BUNDLE_DIGEST:${digest}`],
      ...['--secrets-file', secretsFile, ...domain, ...tag],
    ],
  ]
}

/** Runs all steps and throws at the first that fails. `isDryRun`: does everything except the upload. */
export function uploadAll(environment, { isDryRun, isRouted }) {
  const directory = mkdtempSync(join(tmpdir(), 'deploy-')) // for its owner only
  const secretsFile = join(directory, 'secrets.json')
  const goOn = () => undefined // wrangler receives these signals, too, and ends; the file is removed first
  for (const signal of SIGNALS) process.on(signal, goOn)
  try {
    const secrets = SECRET.filter((name) => environment[name] !== undefined).map((name) => [
      name,
      environment[name],
    ])
    writeFileSync(secretsFile, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 })
    for (const step of stepsOf(environment, {
      secretsFile,
      commit: commitOf(),
      isRouted,
      digest: digestOf(BUNDLE),
    })) {
      wrangler(isDryRun ? [...step, '--dry-run'] : step)
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
    for (const signal of SIGNALS) process.off(signal, goOn)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

function wrangler(args) {
  console.log(`\n> wrangler ${args.join(' ')}`)
  const env = { ...withoutOurs(process.env), WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }
  const run = spawnSync(availableNode(), [WRANGLER, ...args], { cwd: ROOT, stdio: 'inherit', env })
  if (run.error) throw run.error
  if (run.status !== 0) throw new Error(`wrangler ended with exit code ${run.status}. Its output is above.`)
}

/** Removes our variables: wrangler would prefer them to its arguments. */
function withoutOurs(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => ![...PLAIN, ...SECRET].includes(name)))
}

/** Returns the deployed commit. `node scripts/frames.mjs` needs it to read logged frames. */
function commitOf() {
  // The folder of a release may be below another repository.
  if (IS_RELEASE) return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).gitHead?.slice(0, 12)
  const git = (args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim()
  const commit = git(['rev-parse', '--short=12', 'HEAD'])
  if (!commit) return undefined
  return git(['status', '--porcelain', '--untracked-files=no']) === '' ? commit : `${commit}-changed`
}

/** Returns the texts in which the local service (`npm start`) stores its secrets. */
export function localSecrets(env = process.env) {
  const keys = join(resolve(ROOT, env.STATE_DIR ?? '.dev'), 'keys')
  if (!existsSync(keys)) return []
  return readdirSync(keys).map((name) => readFileSync(join(keys, name), 'utf8'))
}

/** Waits for `/readyz` of the deployed service and returns its text. A new domain may need minutes. */
export async function whenReady(baseUrl) {
  for (let tries = 0; tries < 12; tries++) {
    const answer = await fetch(`${baseUrl}/readyz`, { redirect: 'error' }).catch(() => undefined)
    if (answer?.ok) return `\n${baseUrl}/readyz: ${await answer.text()}`
    await sleep(5_000)
  }
  return `\n${baseUrl}/readyz is not ready after a minute. A new domain may need longer: request it again.`
}
