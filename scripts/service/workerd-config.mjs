// Builds the configuration of `workerd serve`. Date, flags and object classes come from wrangler.toml, as in
// production.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'

/**
 * Returns `compatibilityDate`, `compatibilityFlags` and `objects` ({ binding, className }[]) of a file below
 * ROOT.
 */
export function readWranglerToml(path = 'wrangler.toml') {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const flags = text.match(/^compatibility_flags\s*=\s*\[([^\]]*)\]/m)?.[1] ?? ''
  const bindings = text.matchAll(/^\[\[durable_objects\.bindings\]\]\nname = "(\w+)"\nclass_name = "(\w+)"/gm)
  return {
    compatibilityDate: text.match(/^compatibility_date\s*=\s*"([\d-]+)"/m)[1],
    compatibilityFlags: [...flags.matchAll(/"([^"]+)"/g)].map(([, flag]) => flag),
    objects: [...bindings].map(([, binding, className]) => ({ binding, className })),
  }
}

/**
 * Returns the configuration as Cap'n Proto text, for a directory with a copy of the bundles. The text has the
 * names of variables and no values, because workerd reads the values from its environment. The text contains
 * the unique keys, so only its owner may read the file. `background` is the Worker for background work, with
 * `wrangler`. It reaches nothing. `sandbox` and `shop` are the other Workers, each with
 * `wrangler`, `variables` and `assetsPath`. They reach the verifier only. `shop.webhookAddress`: null, or the
 * shop's port for webhooks. The service sends no webhook to its own address. `control`: path of the Unix
 * socket of the launcher.
 */
export function workerdConfig({
  wrangler,
  variables,
  background,
  sandbox,
  shop,
  uniqueKeys,
  addresses,
  control,
  tls,
  objectsPath,
  assetsPath,
  allowLoopback,
}) {
  const bindings = [
    ...namespaceBindings(wrangler),
    '(name = "ASSETS", service = "assets")',
    ...variables.map(fromEnvironment),
    '(name = "BACKGROUND_WORK", service = (name = "background", entrypoint = "BackgroundWork"))',
    '(name = "SANDBOX", service = "sandbox")',
    '(name = "DEMO_SHOP", service = "demo-shop")',
  ]
  const sockets = addresses.map(
    (address, index) =>
      `(name = "socket${index}", address = ${text(address)}, service = "verifier", ${protocol(tls)})`,
  )
  if (shop.webhookAddress !== null)
    sockets.push(
      `(name = "webhooks", address = ${text(shop.webhookAddress)}, service = (name = "demo-shop", entrypoint = "webhookEntry"), http = ())`,
    )
  sockets.push(
    `(name = "control", address = ${text(`unix:${control}`)}, service = (name = "verifier", entrypoint = "control"), http = ())`,
  )
  const allow = ['public', ...(allowLoopback ? ['127.0.0.0/8', '::1/128'] : [])]
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "verifier", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = ${text(wrangler.compatibilityDate)},
      compatibilityFlags = ${list(wrangler.compatibilityFlags.map(text))},
      bindings = ${list(bindings)},
      durableObjectNamespaces = ${list(namespaces(wrangler, uniqueKeys))},
      durableObjectStorage = (localDisk = "objects"),
      globalOutbound = "internet",
    )),
    (name = "objects", disk = (path = ${text(objectsPath)}, writable = true)),
    (name = "assets", disk = (path = ${text(assetsPath)})),
    # Networks that "public" does not leave out: NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), site-local
    # addresses (RFC 3879) and benchmarks (RFC 2544). A machine may route them to private networks.
    (name = "internet", network = (
      allow = ${list(allow.map(text))},
      deny = ${list(DENIED.map(text))},
      tlsOptions = (trustBrowserCas = true),
    )),
    (name = "background", worker = (
      modules = [(name = "background.js", esModule = embed "background.js")],
      compatibilityDate = ${text(background.wrangler.compatibilityDate)},
      compatibilityFlags = ${list(background.wrangler.compatibilityFlags.map(text))},
      globalOutbound = "nowhere",
    )),
    ${companion('sandbox', sandbox, uniqueKeys)}
    ${companion('demo-shop', shop, uniqueKeys)}
    (name = "nowhere", network = (allow = [])),
  ],
  sockets = ${list(sockets)},
);
`
}

const DENIED = ['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', 'fec0::/10', '198.18.0.0/15']

/** Returns another Worker, which reaches the verifier only. */
function companion(name, { wrangler, variables, assetsPath }, uniqueKeys) {
  const bindings = [
    ...namespaceBindings(wrangler),
    '(name = "VERIFIER", service = "verifier")',
    `(name = "ASSETS", service = "${name}-assets")`,
    ...variables.map(fromEnvironment),
  ]
  return `(name = "${name}-assets", disk = (path = ${text(assetsPath)})),
    (name = "${name}", worker = (
      modules = [(name = "${name}.js", esModule = embed "${name}.js")],
      compatibilityDate = ${text(wrangler.compatibilityDate)},
      compatibilityFlags = ${list(wrangler.compatibilityFlags.map(text))},
      bindings = ${list(bindings)},
      durableObjectNamespaces = ${list(namespaces(wrangler, uniqueKeys))},
      durableObjectStorage = (localDisk = "objects"),
      globalOutbound = "nowhere",
    )),`
}

function namespaceBindings({ objects }) {
  return objects.map(
    ({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
  )
}

function namespaces({ objects }, uniqueKeys) {
  return objects.map(
    ({ className }) =>
      `(className = ${text(className)}, uniqueKey = ${text(uniqueKeys[className])}, enableSql = true)`,
  )
}

function fromEnvironment(name) {
  return `(name = ${text(name)}, fromEnvironment = ${text(name)})`
}

function protocol(tls) {
  if (tls === null) return 'http = ()'
  return `https = (options = (), tlsOptions = (keypair = (privateKey = embed ${text(tls.key)}, certificateChain = embed ${text(tls.certificate)})))`
}

function list(items) {
  return `[${items.join(', ')}]`
}

/** Returns a text literal. Quotes and backslashes are escaped as in JSON. */
function text(value) {
  return JSON.stringify(value)
}
