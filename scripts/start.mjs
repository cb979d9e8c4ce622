// `npm start`: installs missing packages, builds changed sources, and runs the deployed bundle on workerd, as
// one process.

import { randomUUID } from 'node:crypto'
import { copyFileSync, cpSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { BUNDLE, ensureBundle, SANDBOX_BUNDLE, SHOP_BUNDLE } from './service/bundle.mjs'
import { demoRelyingPartyPath, keepDemoRelyingParty } from './service/demo-relying-party.mjs'
import { keepDemoShop, openDemoShop, SHOP_VARIABLES } from './service/demo-shop.mjs'
import { ensureInstalled } from './service/install.mjs'
import { ASSETS, ROOT, SANDBOX_CONFIG, SHOP_CONFIG } from './service/paths.mjs'
import { keepSecrets, keepUniqueKeys, openStateDirectory, writePrivately } from './service/state.mjs'
import { keepVerifier } from './service/verifier-certificate.mjs'
import { configPath, endStaleWorkerd, endWorkerd, startWorkerd, untilReady } from './service/workerd.mjs'
import { readWranglerToml, workerdConfig } from './service/workerd-config.mjs'

/** Optional variables of src/config.ts without a default here. */
const PASSED_ON = ['VERIFIER_FURTHER_KEYS', 'SERVICE_SCHEME', 'WALLET_SCHEME', 'CLIENT_IP_HEADER']

/** Names that reach this machine only. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

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
  const shop = options.hasShop ? await openDemoShop(directory, options) : null
  await prepare(directory, options, Object.keys(variables), shop)

  const run = runOneAtATime(directory, options.origin)
  await run({ ...variables, ...shop?.variables })
  const isOpen = shop !== null && (await openShop(shop, options, variables, run))
  console.log(`Ready: ${variables.BASE_URL}`)
  if (isOpen)
    console.log(
      `\n  Open ${variables.BASE_URL}/demo\n  A demo shop that requests “over 18”. Click through it and watch the webhook arrive.\n`,
    )
  await printUsage(directory, options, variables)
}

/**
 * Creates the shop's relying party, which needs a running service. The service then restarts once with its
 * secrets.
 */
async function openShop(shop, { origin }, variables, run) {
  const secrets = await keepDemoShop(shop, { origin, adminToken: variables.ADMIN_TOKEN }).catch((error) => {
    console.error(`The demo shop is unavailable: ${error.message}`)
  })
  if (secrets === undefined) return false
  if (secrets.DEMO_API_KEY !== shop.variables.DEMO_API_KEY) await run({ ...variables, ...secrets })
  return true
}

/** Parses the options. `origin` is the address on this machine, whatever BASE_URL is. */
function readOptions(env) {
  const port = Number(env.PORT ?? 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('PORT must be a number from 1 to 65535')
  if ((env.TLS_CERT === undefined) !== (env.TLS_KEY === undefined)) {
    throw new Error('TLS_CERT and TLS_KEY must be set together')
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
    hasShop: readDemo(env.DEMO, baseUrl),
  }
}

/** Returns `true` if the shop is opened. A public service opens one only with DEMO=1. */
function readDemo(demo, baseUrl) {
  if (demo !== undefined && demo !== '0' && demo !== '1') throw new Error('DEMO must be 0 or 1')
  return demo === undefined ? LOOPBACK.includes(new URL(baseUrl).hostname) : demo === '1'
}

/** Returns the addresses of `localhost`. The second exists only if the machine has IPv6. */
function loopbackHosts() {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.some(({ address }) => address === '::1') ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']
}

/** Returns all variables of the Worker: stored and given ones. */
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
    BOOT_ID: '', // set at each start of workerd
  }
}

/** Copies the bundles and their configuration, so that a later build does not affect the running service. */
async function prepare(directory, { addresses, tls, allowLoopback }, variables, shop) {
  const wrangler = readWranglerToml()
  const sandbox = {
    wrangler: readWranglerToml(SANDBOX_CONFIG),
    variables: ['BASE_URL'],
    assetsPath: join(directory, 'assets', 'sandbox'),
  }
  const shopWorker = {
    wrangler: readWranglerToml(SHOP_CONFIG),
    variables: ['BASE_URL', ...(shop === null ? [] : SHOP_VARIABLES)],
    webhookAddress: shop?.address ?? null,
    assetsPath: join(directory, 'shop-assets'),
  }
  const embedded = (path) => relative(directory, realpathSync(path))
  const config = workerdConfig({
    wrangler,
    variables,
    sandbox,
    shop: shopWorker,
    addresses,
    uniqueKeys: await keepUniqueKeys(
      directory,
      [...wrangler.objects, ...shopWorker.wrangler.objects].map(({ className }) => className),
    ),
    tls: tls && { certificate: embedded(tls.certificate), key: embedded(tls.key) },
    objectsPath: join(directory, 'objects'),
    assetsPath: join(directory, 'assets'),
    allowLoopback: allowLoopback === '1',
  })
  writePrivately(configPath(directory), config)
  copyBundle(directory, 'worker.js', BUNDLE)
  copyBundle(directory, 'sandbox.js', SANDBOX_BUNDLE)
  copyBundle(directory, 'demo-shop.js', SHOP_BUNDLE)
  copyAssets(ASSETS, join(directory, 'assets'))
  copyAssets(join(ROOT, 'examples', 'demo-shop', 'assets'), shopWorker.assetsPath)
}

function copyAssets(from, to) {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}

function copyBundle(directory, name, bundle) {
  copyFileSync(bundle, join(directory, `${name}.new`))
  renameSync(join(directory, `${name}.new`), join(directory, name))
}

/**
 * Returns a function that starts workerd with given variables, replaces the previous process, and waits until
 * it is ready. Signals are passed on. When workerd ends by itself, so does the launcher.
 */
function runOneAtATime(directory, origin) {
  let child
  let asked = false
  const end = () => {
    asked = true
    return child && endWorkerd(child)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  return async (variables) => {
    const before = child
    child = undefined
    if (before) await endWorkerd(before)
    if (asked) process.exit(0)
    const bootId = randomUUID()
    const started = startWorkerd(directory, { ...variables, BOOT_ID: bootId })
    child = started
    started.once('error', (error) => console.error(`workerd: ${error.message}`))
    started.once('exit', (code, signal) => {
      if (child !== started) return
      if (!asked) console.error(`workerd ended (${signal ?? `exit code ${code}`}).`)
      process.exitCode = asked ? 0 : 1
    })
    await untilReady(started, { origin, bootId }).catch(async (error) => {
      await end()
      throw error
    })
  }
}

async function printUsage(directory, options, variables) {
  const adminToken =
    process.env.ADMIN_TOKEN === undefined ? shown(join(directory, 'keys', 'admin-token')) : 'from ADMIN_TOKEN'
  console.log(`  state               ${shown(directory)}`)
  console.log(`  verifier CA         ${shown(join(directory, 'verifier-ca.pem'))}`)
  console.log(`  admin token         ${adminToken}`)
  if (options.allowLoopback !== '1') return // a public service must not write a key into its journal
  try {
    const demo = await keepDemoRelyingParty(directory, {
      origin: options.origin,
      adminToken: variables.ADMIN_TOKEN,
      webhookUrl: process.env.DEMO_WEBHOOK_URL,
    })
    console.log(`  demo relying party  ${demo.relying_party_id} (${shown(demoRelyingPartyPath(directory))})`)
    console.log(`\nCreate a session:\n\n${curl(options, demo.api_key)}\n`)
  } catch (error) {
    console.error(`The demo relying party could not be created: ${error.message}`)
  }
}

/** Returns a path relative to the current directory, if it is inside. */
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
