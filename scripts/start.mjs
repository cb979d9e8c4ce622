// `npm start`: installs what is missing, builds what changed, and runs the deployed bundle on workerd, as one process.

import { randomUUID } from 'node:crypto'
import { copyFileSync, cpSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { BUNDLE, ensureBundle, SANDBOX_BUNDLE } from './service/bundle.mjs'
import { demoRelyingPartyPath, keepDemoRelyingParty } from './service/demo-relying-party.mjs'
import { ensureInstalled } from './service/install.mjs'
import { ASSETS, ROOT } from './service/paths.mjs'
import { keepSecrets, keepUniqueKeys, openStateDirectory, writePrivately } from './service/state.mjs'
import { keepVerifier } from './service/verifier-certificate.mjs'
import { configPath, endStaleWorkerd, endWorkerd, startWorkerd, untilReady } from './service/workerd.mjs'
import { readWranglerToml, workerdConfig } from './service/workerd-config.mjs'

/** Variables of src/config.ts that a start may be given and has no default of its own for. */
const PASSED_ON = ['VERIFIER_FURTHER_KEYS', 'SERVICE_SCHEME', 'WALLET_SCHEME', 'CLIENT_IP_HEADER']

await start().catch((error) => {
  console.error(`The service did not start: ${error.message}`)
  process.exit(1)
})

async function start() {
  const options = readOptions(process.env)
  ensureInstalled()
  ensureBundle()
  const directory = openStateDirectory(options.stateDirectory)
  const variables = await makeVariables(directory, options)
  await endStaleWorkerd(directory)
  await prepare(directory, options, Object.keys(variables))

  const child = startWorkerd(directory, variables)
  const end = endTogether(child)
  await untilReady(child, { origin: options.origin, bootId: variables.BOOT_ID }).catch(async (error) => {
    await end()
    throw error
  })
  console.log(`Ready: ${variables.BASE_URL}`)
  await tellHowToUseIt(directory, options, variables)
}

/** What the caller chose. `origin` is where this machine reaches the service, whatever BASE_URL calls it. */
function readOptions(env) {
  const port = Number(env.PORT ?? 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('PORT must be 1–65535')
  if ((env.TLS_CERT === undefined) !== (env.TLS_KEY === undefined)) {
    throw new Error('TLS_CERT and TLS_KEY go together')
  }
  const tls =
    env.TLS_CERT === undefined ? null : { certificate: resolve(env.TLS_CERT), key: resolve(env.TLS_KEY) }
  const scheme = tls === null ? 'http' : 'https'
  const baseUrl = env.BASE_URL ?? `${scheme}://localhost:${port}`
  if (!URL.canParse(baseUrl)) throw new Error('BASE_URL must be an origin such as https://verifier.example')
  const hosts = env.HOST === undefined ? loopbackHosts() : [env.HOST]
  const reached = hosts[0] === '0.0.0.0' || hosts[0] === '*' ? '127.0.0.1' : hosts[0]
  return {
    baseUrl,
    tls,
    stateDirectory: resolve(ROOT, env.STATE_DIR ?? '.dev'),
    addresses: hosts.map((host) => `${host}:${port}`),
    origin: `${scheme}://${reached}:${port}`,
    allowLoopback: env.ALLOW_LOOPBACK ?? '1',
  }
}

/** `localhost` is either of these; the second only where the machine speaks IPv6. */
function loopbackHosts() {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.some(({ address }) => address === '::1') ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']
}

/** The Worker's whole environment: what is kept, what was given, and an id that tells this start from any other. */
async function makeVariables(directory, options) {
  const made = {
    ...(await keepSecrets(directory)),
    ...(await keepVerifier(directory, new URL(options.baseUrl).hostname)),
  }
  const given = Object.fromEntries(
    [...Object.keys(made), ...PASSED_ON]
      .filter((name) => process.env[name] !== undefined)
      .map((name) => [name, process.env[name]]),
  )
  return {
    ...made,
    ...given,
    BASE_URL: options.baseUrl,
    ALLOW_LOOPBACK: options.allowLoopback,
    BOOT_ID: randomUUID(),
  }
}

/** Lays the bundles and their configuration side by side, so that a later build does not touch what runs. */
async function prepare(directory, { addresses, tls, allowLoopback }, variables) {
  const wrangler = readWranglerToml()
  const embedded = (path) => relative(directory, realpathSync(path))
  const config = workerdConfig({
    wrangler,
    sandbox: readWranglerToml(readFileSync(join(ROOT, 'wrangler.sandbox.toml'), 'utf8')),
    variables,
    addresses,
    uniqueKeys: await keepUniqueKeys(
      directory,
      wrangler.objects.map(({ className }) => className),
    ),
    tls: tls && { certificate: embedded(tls.certificate), key: embedded(tls.key) },
    objectsPath: join(directory, 'objects'),
    assetsPath: join(directory, 'assets'),
    allowLoopback: allowLoopback === '1',
  })
  writePrivately(configPath(directory), config)
  layBeside(directory, 'worker.js', BUNDLE)
  layBeside(directory, 'sandbox.js', SANDBOX_BUNDLE)
  rmSync(join(directory, 'assets'), { recursive: true, force: true })
  cpSync(ASSETS, join(directory, 'assets'), { recursive: true })
}

function layBeside(directory, name, bundle) {
  copyFileSync(bundle, join(directory, `${name}.new`))
  renameSync(join(directory, `${name}.new`), join(directory, name))
}

/** Signals are passed on; when workerd ends by itself, so does the launcher. Returns what ends both. */
function endTogether(child) {
  let asked = false
  const end = () => {
    asked = true
    return endWorkerd(child)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  child.once('error', (error) => console.error(`workerd: ${error.message}`))
  child.once('exit', (code, signal) => {
    if (!asked) console.error(`workerd ended (${signal ?? `exit code ${code}`}).`)
    process.exitCode = asked ? 0 : 1
  })
  return end
}

async function tellHowToUseIt(directory, options, variables) {
  const adminToken =
    process.env.ADMIN_TOKEN === undefined
      ? shown(join(directory, 'keys', 'admin-token'))
      : 'as given in ADMIN_TOKEN'
  console.log(`  state             ${shown(directory)}`)
  console.log(`  verifier CA       ${shown(join(directory, 'verifier-ca.pem'))}`)
  console.log(`  admin token       ${adminToken}`)
  if (options.allowLoopback !== '1') return // not for trying out: a journal must not hold a key
  try {
    const demo = await keepDemoRelyingParty(directory, {
      origin: options.origin,
      adminToken: variables.ADMIN_TOKEN,
      webhookUrl: process.env.DEMO_WEBHOOK_URL,
    })
    console.log(`  demo relying party ${demo.relying_party_id} (${shown(demoRelyingPartyPath(directory))})`)
    console.log(`\nCreate a session:\n\n${curl(options, demo.api_key)}\n`)
  } catch (error) {
    console.error(`The demo relying party could not be made: ${error.message}`)
  }
}

/** As the person at this prompt would name it. */
function shown(path) {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') ? path : fromHere
}

function curl({ baseUrl, origin, tls }, apiKey) {
  const isLocal = new URL(baseUrl).hostname === 'localhost'
  const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
  return [
    `  curl -sS${tls ? 'k' : ''} -X POST ${isLocal ? baseUrl : origin}/v1/verify`,
    `-H 'Authorization: Bearer ${apiKey}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n    ')
}
