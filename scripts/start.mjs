// `npm start`: installs missing packages, builds changed sources, and runs the deployed bundle on workerd, as
// one process.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  BACKGROUND_BUNDLE,
  BUNDLE,
  digestOf,
  ensureBundle,
  SANDBOX_BUNDLE,
  SHOP_BUNDLE,
} from './service/bundle.mjs'
import { capacity, reportCapacity } from './service/capacity.mjs'
import { consoleCode, keepDemoRelyingParty } from './service/demo-relying-party.mjs'
import { freePort, keepDemoShop, openDemoShop, SHOP_VARIABLES } from './service/demo-shop.mjs'
import { alarmsPerSecond, descriptorLimit } from './service/descriptors.mjs'
import { ensureInstalled, packagesForStart } from './service/install.mjs'
import { lockForLauncher, lockForWorkerd } from './service/lock.mjs'
import { reportMeasures } from './service/measures.mjs'
import { readOptions } from './service/options.mjs'
import { holdOutput } from './service/output.mjs'
import {
  ASSETS,
  availableNode,
  BACKGROUND_CONFIG,
  ROOT,
  SANDBOX_CONFIG,
  SHOP_CONFIG,
} from './service/paths.mjs'
import { checkAddresses } from './service/ports.mjs'
import { printReadiness } from './service/readiness.mjs'
import { openRelay, relayLimits } from './service/relay.mjs'
import {
  checkKeys,
  keepFormSince,
  keepSecrets,
  keepSessionObjects,
  keepUniqueKeys,
  openStateDirectory,
  writePrivately,
} from './service/state.mjs'
import { objectsReport, stateLines, usageLines } from './service/usage.mjs'
import { misspeltNames, PASSED_ON } from './service/variables.mjs'
import { keepVerifier } from './service/verifier-certificate.mjs'
import {
  configPath,
  controlSocket,
  drainWorkerd,
  endStaleWorkerd,
  endWorkerd,
  relaySocket,
  startWorkerd,
  untilReady,
} from './service/workerd.mjs'
import { readWranglerToml, workerdConfig } from './service/workerd-config.mjs'

/** On a terminal, a person reads the output. The journal of a service needs every log line. */
const IS_TERMINAL = process.stdout.isTTY === true
/** Time for which an `Idempotency-Key` is stored at least (src/session/document/document.ts). */
const KEY_MS = 86_400_000
/** Time for the log line of the last call, which follows its response. */
const LAST_LINE_MS = 100
const DISK_FULL =
  'the disk of STATE_DIR is full. Free 10 MB or more there, but delete nothing below `objects` (docs/runbooks/full-disk.md).'
const SELF_MADE =
  'BASE_URL is public, but the certificate of the verifier is self-made, and no wallet trusts it. Set VERIFIER_SIGNING_JWK and VERIFIER_CERTIFICATE_CHAIN_PEM (docs/operating.md).'
const NO_CLIENT_ADDRESS =
  'BASE_URL is public, but CLIENT_IP_HEADER is not set: limits by address do not work, and all callers share one limit of logins. Set it to the header in which your proxy sends the address (docs/self-hosting.md).'

await start().catch((error) => {
  console.error(`The service did not start: ${error.code === 'ENOSPC' ? DISK_FULL : error.message}`)
  process.exit(1)
})

async function start() {
  for (const sentence of misspeltNames(process.env)) console.error(`Warning: ${sentence}`)
  const options = readOptions(process.env)
  const directory = openStateDirectory(options.stateDirectory)
  ensureInstalled(packagesForStart({ hasObjects: hasObjects(directory) }))
  ensureBundle()
  lockForLauncher(directory, options.baseUrl)
  checkKeys(directory, process.env)
  await endStaleWorkerd(directory)
  const lock = await lockForWorkerd(directory)
  await checkAddresses(options.addresses)
  const variables = await makeVariables(directory, options)
  const shop = options.hasShop ? await openDemoShop(directory, options) : null
  const state = await prepare(directory, Object.keys(variables), shop)
  const sharesObjects = variables.SHARE_SESSIONS === '1'
  Object.assign(variables, await prepareObjects(directory, state, sharesObjects))

  const output = holdOutput()
  const run = runOneAtATime(directory, { lock, output })
  if (shop !== null && shop.variables.DEMO_API_KEY === undefined)
    await createShop(shop, { state, variables, run })
  state.configure({ ...options, addresses: await relayed(directory, options) })
  await run({ ...variables, ...shop?.variables }, options.origin)
  const isOpen = shop !== null && (await openShop(shop, options, variables, run))
  await printReadiness(options.origin, variables.BASE_URL)
  if (isOpen)
    console.log(
      `\n  Open ${variables.BASE_URL}/demo\n  A demo shop that requests “over 18”. Click through it and watch the webhook arrive.\n`,
    )
  await printUsage(directory, options, variables)
  await sleep(LAST_LINE_MS)
  output.release()
}

/**
 * Creates the shop's relying party before the service opens its own port, so that the service is not started
 * twice there. A running service is needed for it, and has an address of this machine only.
 */
async function createShop(shop, { state, variables, run }) {
  const address = `127.0.0.1:${await freePort(0)}`
  const origin = `http://${address}`
  state.configure({ addresses: [address], tls: null, allowLoopback: '0' })
  const stop = await run(variables, origin)
  shop.variables = (await secretsOfShop(shop, { origin, variables })) ?? shop.variables
  await stop()
}

/**
 * Updates the shop's relying party at the running service. If its key is no longer accepted, the service
 * starts again with a new key. Returns `true` if the shop is open.
 */
async function openShop(shop, { origin }, variables, run) {
  const secrets = await secretsOfShop(shop, { origin, variables })
  if (secrets === undefined) return false
  if (secrets.DEMO_API_KEY !== shop.variables.DEMO_API_KEY) await run({ ...variables, ...secrets }, origin)
  return true
}

function secretsOfShop(shop, { origin, variables }) {
  return keepDemoShop(shop, { origin, adminToken: variables.ADMIN_TOKEN }).catch((error) => {
    console.error(`The demo shop is unavailable: ${error.message}`)
  })
}

/**
 * Returns the addresses of workerd. If there are few descriptors, a relay listens on the addresses of the
 * service, and workerd on other addresses.
 */
async function relayed(directory, { addresses, tls }) {
  const hasProxy = process.env.CLIENT_IP_HEADER !== undefined
  const limits = relayLimits(descriptorLimit(), { hasProxy, hasTls: tls !== null })
  if (limits === null) return addresses
  await openRelay(addresses, relaySocket(directory), limits, capacity)
  return [`unix:${relaySocket(directory)}`]
}

/** Returns all variables of the Worker: the stored variables and the given variables. */
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
  const isSelfMade = !options.isLocal && given.VERIFIER_CERTIFICATE_CHAIN_PEM === undefined
  if (isSelfMade) console.error(`Warning: ${SELF_MADE}`)
  if (!options.isLocal && given.CLIENT_IP_HEADER === undefined) console.error(`Warning: ${NO_CLIENT_ADDRESS}`)
  return {
    ...made,
    ...given,
    BASE_URL: options.baseUrl,
    ALLOW_LOOPBACK: options.allowLoopback,
    CONSOLE: options.hasConsole ? '1' : '0',
    LISTENING_HOST: new URL(options.origin).hostname,
    LISTENING_PORT: String(options.port),
    SELF_MADE_VERIFIER: isSelfMade ? '1' : '0',
    ...keepSessionObjects(directory, options.sessionObjects),
    ALARMS_REPAIRED: '0',
    OTHER_FORM_UNTIL: '0',
    BOOT_ID: '', // set at each start of workerd
    BUILD_ID: keepBuildId(directory),
    ...commitOfRelease(),
    BUNDLE_DIGEST: digestOf(BUNDLE),
  }
}

/** Returns `true` if a service has stored something in the state directory. */
function hasObjects(directory) {
  const objects = join(directory, 'objects')
  return existsSync(objects) && readdirSync(objects).length > 0
}

/**
 * Repairs and spreads the alarms, and removes files of erased objects. Needs a Node with SQLite
 * (`packagesForStart`) if there are objects. Returns the variables about what it found.
 */
async function prepareObjects(directory, { uniqueKeys }, sharesObjects) {
  const formSince = await keepFormSince(directory, sharesObjects)
  if (!hasObjects(directory)) return {}
  const limit = descriptorLimit()
  const program = join(ROOT, 'scripts', 'service', 'objects.mjs')
  const objectsPath = join(directory, 'objects')
  const options = { objectsPath, uniqueKeys, perSecond: alarmsPerSecond(limit), sharesObjects }
  const { stdout } = await promisify(execFile)(availableNode(), [
    '--no-warnings',
    program,
    JSON.stringify(options),
  ])
  const counts = JSON.parse(stdout)
  for (const line of objectsReport(counts, limit)) console.error(line)
  return {
    ALARMS_REPAIRED: String(counts.repaired),
    OTHER_FORM_UNTIL: String(counts.hasOtherForm ? formSince + KEY_MS : 0),
  }
}

/**
 * Copies the bundles, so that a later build does not affect the running service. Returns the unique keys, and
 * `configure`, which writes the configuration for given addresses.
 */
async function prepare(directory, variables, shop) {
  const wrangler = readWranglerToml()
  // Cloudflare has no such binding.
  if (variables.includes('SESSION_OBJECTS'))
    wrangler.objects.push({ binding: 'SHARED_SESSIONS', className: 'SharedSessions' })
  const sandbox = {
    wrangler: readWranglerToml(SANDBOX_CONFIG),
    variables: ['BASE_URL'],
    assetsPath: join(directory, 'assets', 'sandbox'),
  }
  const shopWrangler = readWranglerToml(SHOP_CONFIG)
  const shopAssetsPath = join(directory, 'shop-assets')
  const embedded = (path) => relative(directory, realpathSync(path))
  const uniqueKeys = await keepUniqueKeys(
    directory,
    [...wrangler.objects, ...shopWrangler.objects].map(({ className }) => className),
  )
  const control = controlSocket(directory)
  copyBundle(directory, 'worker.js', BUNDLE)
  copyBundle(directory, 'background.js', BACKGROUND_BUNDLE)
  copyBundle(directory, 'sandbox.js', SANDBOX_BUNDLE)
  copyBundle(directory, 'demo-shop.js', SHOP_BUNDLE)
  copyAssets(ASSETS, join(directory, 'assets'))
  copyAssets(join(ROOT, 'examples', 'demo-shop', 'assets'), shopAssetsPath)
  const configure = ({ addresses, tls, allowLoopback }) => {
    const config = workerdConfig({
      wrangler,
      variables,
      background: { wrangler: readWranglerToml(BACKGROUND_CONFIG) },
      sandbox,
      shop: {
        wrangler: shopWrangler,
        variables: ['BASE_URL', ...(shop?.variables.DEMO_API_KEY === undefined ? [] : SHOP_VARIABLES)],
        webhookAddress: shop?.address ?? null,
        assetsPath: shopAssetsPath,
      },
      addresses,
      control,
      uniqueKeys,
      tls: tls && { certificate: embedded(tls.certificate), key: embedded(tls.key) },
      objectsPath: join(directory, 'objects'),
      assetsPath: join(directory, 'assets'),
      allowLoopback: allowLoopback === '1',
    })
    writePrivately(configPath(directory), config)
  }
  return { uniqueKeys, configure }
}

function copyAssets(from, to) {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}

/**
 * Returns an id that changes with each change of build. The bundle of the last start is still in the state
 * directory, also that of a version without this id.
 */
function keepBuildId(directory) {
  const path = join(directory, 'build-id')
  const last = join(directory, 'worker.js')
  const isSame = existsSync(last) && readFileSync(last).equals(readFileSync(BUNDLE))
  if (!isSame || !existsSync(path)) {
    writeFileSync(`${path}.new`, randomUUID())
    renameSync(`${path}.new`, path)
  }
  return readFileSync(path, 'utf8')
}

/** Returns the variable with the commit, which evidence names. Only a release knows it. */
function commitOfRelease() {
  const { gitHead } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return gitHead === undefined ? {} : { BUILD_COMMIT: gitHead }
}

function copyBundle(directory, name, bundle) {
  if (!existsSync(bundle))
    throw new Error(
      `${relative(ROOT, bundle)} is missing: the service needs it. Install the whole release again.`,
    )
  copyFileSync(bundle, join(directory, `${name}.new`))
  renameSync(join(directory, `${name}.new`), join(directory, name))
}

/**
 * Returns a function that starts workerd with given variables, replaces the previous process, and waits until
 * it is ready at `origin`. It resolves to a function that stops that process. On a signal the service
 * finishes its open requests, then everything ends. When workerd ends by itself, so does the launcher.
 */
function runOneAtATime(directory, { lock, output }) {
  let child
  let asked = false
  let isReady = false
  const end = async () => {
    if (asked) return
    asked = true
    if (child && isReady) await drainWorkerd(child, directory)
    if (child) await endWorkerd(child)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  const stop = async () => {
    const before = child
    child = undefined
    isReady = false
    if (before) await endWorkerd(before)
    if (asked) process.exit(0)
  }
  return async (variables, origin) => {
    await stop()
    const bootId = randomUUID()
    const started = startWorkerd(directory, { ...variables, BOOT_ID: bootId }, lock)
    child = started
    output.attach(started)
    started.once('error', (error) => console.error(`workerd: ${error.message}`))
    started.once('exit', (code, signal) => {
      if (child !== started) return
      if (!asked) console.error(`workerd ended (${signal ?? `exit code ${code}`}).`)
      process.exitCode = asked ? 0 : 1
    })
    await untilReady(started, { origin, bootId, output }).catch(async (error) => {
      await end()
      throw error
    })
    isReady = true
    reportMeasures(directory, started)
    void reportCapacity(directory, started)
    return stop
  }
}

async function printUsage(directory, options, variables) {
  const hasAdminToken = process.env.ADMIN_TOKEN !== undefined
  const { isLocal } = options
  const lines = stateLines(directory, { hasAdminToken, limit: descriptorLimit(), isLocal })
  for (const line of lines) console.log(line)
  if (options.allowLoopback !== '1') return // a public service has no demo relying party
  try {
    const demo = await keepDemoRelyingParty(directory, {
      origin: options.origin,
      adminToken: variables.ADMIN_TOKEN,
      webhookUrl: process.env.DEMO_WEBHOOK_URL,
    })
    const code = await consoleCode(options, variables.ADMIN_TOKEN, demo)
    // A key must not be printed into the journal of a service.
    const usage = usageLines(directory, { options, demo, code, isTerminal: IS_TERMINAL })
    for (const line of usage) console.log(line)
  } catch (error) {
    console.error(`The demo relying party could not be created: ${error.message}`)
  }
}
