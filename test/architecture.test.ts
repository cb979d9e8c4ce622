// The shape of src/ and sandbox/ as data, compared with every import. A planted fault shows that each rule
// can fail.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { blank, functionsOf, importsOf } from './support/reading/source-scan.ts'
import { PLANTED_FAULTS, WITHOUT_FAULT } from './system/fuzz/planted-faults.ts'

/**
 * Rooms that a room may import: those to its right. `type:` allows `import type` only. Every room has
 * result.ts and limits.ts.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  worker: ['routes', 'session', 'relying-party', 'env'],
  // A Worker of its own, and the calls to it. The verifier imports the calls alone.
  background: ['evidence', 'trust', 'net', 'metrics'],
  metrics: ['type:env'],
  env: ['type:config'],
  config: ['net', 'codec', 'version'],
  routes: [
    ...[
      'api',
      'session',
      'relying-party',
      'wallets',
      'exchange',
      'policy',
      'iso18013-7',
      'openid4vp',
      'formats',
      'trust',
      'net',
    ],
    ...['webhook', 'qr'],
    ...['metrics', 'config', 'env', 'version', 'crypto', 'codec', 'type:assets'],
  ],
  session: [
    ...['api', 'relying-party', 'evidence', 'wallets', 'exchange', 'policy', 'iso18013-7', 'openid4vp'],
    ...['formats', 'trust', 'net', 'webhook', 'metrics', 'config', 'env', 'version', 'crypto', 'codec'],
    'background',
  ],
  // One request and its response, without a session.
  exchange: ['policy', 'iso18013-7', 'openid4vp', 'formats', 'trust', 'net', 'crypto', 'codec'],
  // The wire: requests as schemas, responses as types.
  api: ['relying-party', 'exchange', 'policy', 'openid4vp', 'trust', 'qr', 'config', 'crypto', 'codec'],
  'relying-party': [
    ...['wallets', 'policy', 'iso18013-7', 'openid4vp', 'formats', 'trust', 'net', 'webhook'],
    ...['background', 'metrics', 'config', 'env', 'crypto', 'codec'],
  ],
  // Platform-free: the offline verifier is built from it.
  evidence: ['exchange', 'policy', 'iso18013-7', 'openid4vp', 'formats', 'trust', 'net', 'crypto', 'codec'],
  wallets: ['policy', 'openid4vp', 'formats', 'codec'],
  policy: ['openid4vp', 'formats', 'trust', 'codec'],
  'iso18013-7': ['openid4vp', 'formats', 'crypto', 'codec'],
  openid4vp: ['formats', 'trust', 'crypto', 'codec'],
  formats: ['trust', 'net', 'crypto', 'codec'],
  trust: ['net', 'crypto', 'codec'],
  webhook: ['net', 'crypto', 'codec'],
  net: ['crypto', 'codec'],
  qr: ['crypto', 'codec'],
  crypto: ['codec'],
  codec: [],
  // A wallet that shared the verifier's protocol would agree with it by construction
  // (docs/decisions/sandbox.md).
  sandbox: ['net', 'crypto', 'codec', 'assets'],
  result: [],
  limits: [],
  version: [],
}

/**
 * Sub-rooms of a room from the top floor down, and the siblings that each may import. `.` is the files that
 * stand directly in the room. Each names floors below its own only: there is no circle.
 */
const SUB_ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  routes: {
    '.': [
      ...['edge', 'audit', 'verifications', 'wallet', 'browser', 'settings', 'public', 'oidc', 'lists'],
      'console',
    ],
    console: ['edge', 'audit', 'settings'],
    settings: ['edge', 'audit', 'oidc'],
    oidc: ['edge', 'audit', 'verifications', 'browser'],
    public: ['edge', 'audit', 'browser'],
    browser: ['edge', 'wallet'],
    verifications: ['edge', 'audit'],
    lists: ['edge'],
    wallet: ['edge'],
    audit: ['edge'],
    edge: [],
  },
  session: {
    '.': [
      ...['alarm', 'login', 'views', 'response', 'return', 'end', 'request', 'delivery', 'listing', 'store'],
      ...['document', 'evidence'],
    ],
    alarm: ['end', 'delivery', 'listing', 'store', 'document'],
    login: ['return', 'tokens', 'end', 'request', 'store', 'document'],
    views: ['response', 'end', 'request', 'store', 'document', 'evidence'],
    response: ['return', 'tokens', 'end', 'request', 'delivery', 'listing', 'store', 'document', 'evidence'],
    return: ['end', 'request', 'listing', 'store', 'document'],
    tokens: ['request', 'document'],
    end: ['request', 'delivery', 'listing', 'store', 'document', 'evidence'],
    request: ['delivery', 'store', 'document', 'evidence'],
    delivery: ['listing', 'store', 'document', 'evidence'],
    listing: ['store', 'document'],
    store: ['document', 'evidence'],
    document: ['evidence'],
    evidence: [],
  },
  'relying-party': {
    'trust-lists': ['.', 'settings', 'materials', 'document'],
    '.': ['index', 'events', 'oidc', 'keys', 'people', 'audit', 'settings', 'verifier', 'document'],
    index: ['events', 'document'],
    events: ['document'],
    oidc: ['audit', 'document'],
    keys: ['document'],
    people: ['audit', 'document'],
    settings: ['verifier', 'document'],
    verifier: ['document'],
    audit: ['document'],
    materials: [],
    document: [],
  },
  openid4vp: {
    protocols: ['presentation-exchange', 'request', 'response', 'dcql'],
    '.': ['request', 'response'],
    'presentation-exchange': ['response', 'dcql'],
    request: ['response', 'dcql', 'registration'],
    response: ['dcql', 'transaction-data'],
    registration: ['dcql'],
    'transaction-data': [],
    dcql: [],
  },
  api: {
    responses: ['.'],
    '.': [],
  },
  formats: {
    '.': ['sd-jwt-vc', 'mdoc', 'jwt-vc-json', 'verification'],
    'sd-jwt-vc': ['verification'],
    mdoc: ['verification'],
    'jwt-vc-json': ['verification'],
    verification: [],
  },
  trust: {
    lists: ['anchors', 'xml', 'x509', '.'],
    status: ['anchors', 'revocation', '.'],
    anchors: ['x509', 'did', '.'],
    xml: ['x509'],
    revocation: ['x509', '.'],
    x509: ['.'],
    did: ['.'],
    '.': [],
  },
  evidence: {
    container: ['evaluation', '.'],
    evaluation: ['.'],
    'time-stamp': ['.'],
    push: [],
    '.': [],
  },
  wallets: {
    '.': ['profiles'],
    profiles: [],
  },
  sandbox: {
    '.': ['issuer', 'wallet', 'page'],
    page: ['wallet'],
    wallet: ['issuer'],
    issuer: [],
  },
}

const CLOUDFLARE_ROOMS = ['worker', 'background', 'env', 'routes', 'session', 'relying-party', 'metrics']
/** Entries of the Workers. The platform requires a default export. */
const ENTRIES = ['worker.ts', 'background/worker.ts', 'sandbox/worker.ts']
const CLOUDFLARE_NAMES =
  /\b(DurableObject\w*|ExecutionContext|WebSocketPair|WebSocketRequestResponsePair|RateLimit)\b/

/** Modules that only some rooms may import. */
const RESERVED = [
  { module: /^cloudflare:/, rooms: CLOUDFLARE_ROOMS },
  { module: /^(hono|@hono)\b/, rooms: ['worker', 'routes', 'sandbox/page'] },
  { module: /^node:/, rooms: ['trust', 'qr', ...CLOUDFLARE_ROOMS] },
  { module: /^saxes$/, rooms: ['trust/xml'] },
  { module: /^aws4fetch$/, rooms: ['evidence/push'] },
  // docs/decisions/bundle.md
  { module: /^zod(?!\/(mini|v4\/core)$)/, rooms: [] },
  { module: /^zod\/v4\/core$/, rooms: ['codec'] },
]

/** Packages and modules that no verification needs (docs/decisions/bundle.md). */
const BACKGROUND_ONLY = ['saxes', 'aws4fetch', 'trust/lists/etsi-tl.ts', 'evidence/time-stamp/time-stamp.ts']

const MAX_FILES = 15
const MAX_FILE_LINES = 350
const MAX_FUNCTION_LINES = 70

/** Path under src/ → source. */
type Files = Readonly<Record<string, string>>

function errorsOf(files: Files): string[] {
  const faults = Object.entries(files).flatMap(([path, source]) => [
    ...importFaults(path, source),
    ...sizeFaults(path, source),
    ...wordFaults(path, source),
  ])
  return [...faults, ...folderFaults(files), ...cycleFaults(files)]
}

function importFaults(path: string, source: string): string[] {
  const from = roomOf(path)
  const allowed = MAY_IMPORT[from]
  if (allowed === undefined) return [`${path}: no room called ${from}`]
  if (SUB_ROOMS[from]?.[subRoomOf(path)] === undefined && subRoomOf(path) !== '.')
    return [`${path}: no room called ${from}/${subRoomOf(path)}`]
  return importsOf(source).flatMap(({ specifier, typeOnly }) => {
    if (specifier === null) return [`${path}: imports a computed name`]
    if (!specifier.startsWith('.')) {
      const reserved = RESERVED.find(({ module }) => module.test(specifier))
      const rooms = [from, `${from}/${subRoomOf(path)}`]
      return reserved && !rooms.some((room) => reserved.rooms.includes(room))
        ? [`${path}: may not import ${specifier}`]
        : []
    }
    const target = resolveImport(path, specifier)
    const to = roomOf(target)
    if (to === from && !mayImportSibling(from, subRoomOf(path), subRoomOf(target)))
      return [`${path}: may not import ${specifier}`]
    // docs/decisions/bundle.md: no schema of a response is part of the bundle.
    if (!typeOnly && to === 'api' && from !== 'api' && subRoomOf(target) === 'responses')
      return [`${path}: may import only types of ${specifier}`]
    const free = to === from || to === 'result' || to === 'limits' || allowed.includes(to)
    return free || (typeOnly && allowed.includes(`type:${to}`))
      ? []
      : [`${path}: may not import ${specifier}`]
  })
}

function sizeFaults(path: string, source: string): string[] {
  const lines = source.trimEnd().split('\n').length
  // The linter counts the functions of the console: the scanner here reads no TSX.
  const functions = path.endsWith('.tsx') ? [] : functionsOf(source)
  const long = functions.filter((each) => each.lines > MAX_FUNCTION_LINES)
  return [
    ...(lines > MAX_FILE_LINES ? [`${path}: ${lines} lines`] : []),
    ...long.map((each) => `${path}:${each.line}: a function of ${each.lines} lines`),
  ]
}

function wordFaults(path: string, source: string): string[] {
  const code = blank(source)
  const isForeign = !CLOUDFLARE_ROOMS.includes(roomOf(path)) && !ENTRIES.includes(path)
  return [
    ...(/(:|<|\||&|,|\bas|=)\s*any\b(?!\s*[:(.])/.test(code) ? [`${path}: any`] : []),
    ...(!ENTRIES.includes(path) && /\bexport\s+default\b|\bas\s+default\b/.test(code)
      ? [`${path}: default export`]
      : []),
    ...(isForeign && CLOUDFLARE_NAMES.test(code) ? [`${path}: knows Cloudflare`] : []),
  ]
}

/** Finds sub-rooms that may import a floor that is not below theirs: only so can they form a circle. */
function floorFaults(subRooms: typeof SUB_ROOMS): string[] {
  return Object.entries(subRooms).flatMap(([room, floors]) => {
    const order = Object.keys(floors)
    return Object.entries(floors).flatMap(([floor, lower]) =>
      lower
        .filter((other) => order.indexOf(other) <= order.indexOf(floor))
        .map((other) => `${room}/${floor}: may not stand above ${other}`),
    )
  })
}

function mayImportSibling(room: string, from: string, to: string): boolean {
  return from === to || SUB_ROOMS[room]?.[from]?.includes(to) === true
}

/** Counts the files of each folder. */
function folderFaults(files: Files): string[] {
  const sizes = Map.groupBy(Object.keys(files), (path) => posix.dirname(path))
  return [...sizes].flatMap(([folder, { length }]) =>
    length > MAX_FILES ? [`${folder}: ${length} files side by side`] : [],
  )
}

/**
 * Cycles among imports. Imports of types count: modules that need each other's types cannot be read one by
 * one.
 */
function cycleFaults(files: Files): string[] {
  const done = new Set<string>()
  const faults: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      faults.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' > ')}`)
      return
    }
    if (done.has(path)) return
    for (const { specifier } of importsOf(files[path] ?? '')) {
      if (specifier?.startsWith('.')) visit(resolveImport(path, specifier), [...trail, path])
    }
    done.add(path)
  }
  for (const path of Object.keys(files)) visit(path, [])
  return faults
}

function resolveImport(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

/** `session/end/binding.ts` → `session`, `config.ts` → `config`. */
function roomOf(path: string): string {
  // A file of sandbox/ names files of the verifier by `src/`.
  if (path.startsWith('src/')) return roomOf(path.slice('src/'.length))
  const outside = /^(?:\.\.\/)?(assets|openapi)\//.exec(path)?.[1]
  if (outside !== undefined) return outside
  return (path.split('/')[0] ?? '').replace(/\.ts$/, '')
}

/** `session/end/binding.ts` → `end`, `session/verification-session.ts` → `.`. */
function subRoomOf(path: string): string {
  const parts = path.split('/')
  return parts.length > 2 ? (parts[1] ?? '') : '.'
}

function readSources(room: string): Files {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '..', room)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  )
  return Object.fromEntries(
    paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]),
  )
}

/** Packages and files outside console/ that the console may import. */
const CONSOLE_IMPORTS =
  /^(preact|preact\/hooks|uplot|uplot\/dist\/uPlot\.min\.css|(\.\.\/)+packages\/client\/src\/[\w-]+\.ts)$/

/** The console imports nothing of src/, and renders texts, never markup. */
function consoleErrorsOf(files: Files): string[] {
  const faults = Object.entries(files).flatMap(([path, source]) => [
    ...importsOf(source)
      .map(({ specifier }) => specifier ?? 'a computed name')
      .filter((name) => !CONSOLE_IMPORTS.test(name) && !isInside(path, name))
      .map((name) => `${path}: may not import ${name}`),
    ...sizeFaults(path, source),
    ...wordFaults(path, source),
    ...(/innerHTML|outerHTML|insertAdjacentHTML/i.test(source) ? [`${path}: writes markup`] : []),
  ])
  return [...faults, ...folderFaults(files), ...cycleFaults(files)]
}

function isInside(path: string, specifier: string): boolean {
  return specifier.startsWith('.') && !resolveImport(path, specifier).startsWith('..')
}

describe('src/', () => {
  it('has only allowed imports, no cycle, no `any`, and no file or function that is too long', () => {
    const files = readSources('src')
    expect(Object.keys(files).length).toBeGreaterThan(20)
    expect(errorsOf(files)).toEqual([])
  })
})

/** Returns the packages and the modules that a module imports as values, itself or through other modules. */
function importedBy(entry: string, files: Files): ReadonlySet<string> {
  const imported = new Set([entry])
  for (const path of imported) {
    for (const { specifier, typeOnly } of importsOf(files[path] ?? '')) {
      if (specifier === null || typeOnly) continue
      imported.add(specifier.startsWith('.') ? resolveImport(path, specifier) : specifier)
    }
  }
  return imported
}

describe('the verifier’s Worker', () => {
  it('imports nothing that only the Worker for background work needs', () => {
    const files = readSources('src')
    const verifier = importedBy('worker.ts', files)
    const background = importedBy('background/worker.ts', files)
    expect([...verifier]).toEqual(expect.arrayContaining(['jose', 'trust/lists/trust-list.ts']))
    for (const name of BACKGROUND_ONLY) {
      expect([verifier.has(name), background.has(name)], name).toEqual([false, true])
    }
  })
})

describe('the planted faults of the fuzz', () => {
  it('include one fault for each folder of src/, or a reason why the folder has none', () => {
    const routes = Object.keys(SUB_ROOMS.routes ?? {}).filter((floor) => floor !== '.')
    const rooms = [...Object.keys(MAY_IMPORT), ...routes.map((floor) => `routes/${floor}`)]
    const listed = [...PLANTED_FAULTS.map(({ room }) => room), ...Object.keys(WITHOUT_FAULT)]
    expect(listed.sort()).toEqual(rooms.sort())
  })

  it.each(PLANTED_FAULTS)(
    'replace a text that occurs exactly once in a source file of the folder: $room',
    ({ room, change }) => {
      const { path, replaced } = change
      expect(path.startsWith(`src/${room}/`)).toBe(true)
      expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8').split(replaced)).toHaveLength(2)
    },
  )
})

describe('sandbox/', () => {
  it('imports only its own files and the folders net, crypto and codec of the verifier', () => {
    const files = Object.fromEntries(
      Object.entries(readSources('sandbox')).map(([path, source]) => [`sandbox/${path}`, source]),
    )
    expect(Object.keys(files).length).toBeGreaterThan(15)
    expect(errorsOf(files)).toEqual([])
  })

  it.each([
    ["import { a } from '../src/openid4vp/a.ts'", 'sandbox/a.ts: may not import ../src/openid4vp/a.ts'],
    ["import { a } from './issuer/a.ts'\nimport { b } from '../src/net/b.ts'", undefined],
  ])('a source file that contains %j gives the error %j (undefined: no error)', (source, fault) => {
    expect(errorsOf({ 'sandbox/a.ts': source })).toEqual(fault === undefined ? [] : [fault])
  })

  it('may not be imported by the verifier', () => {
    expect(errorsOf({ 'routes/a.ts': "import { a } from '../../sandbox/a.ts'" })).toEqual([
      'routes/a.ts: may not import ../../sandbox/a.ts',
    ])
  })
})

describe('the table of imports between the sub-folders of src/', () => {
  it('has no cycle', () => {
    expect(floorFaults(SUB_ROOMS)).toEqual([])
  })

  it.each([
    [
      'a cycle of two sub-folders',
      { trust: { x509: ['anchors'], anchors: ['x509'] } },
      'trust/anchors: may not stand above x509',
    ],
    [
      'a cycle of three sub-folders',
      { session: { end: ['store'], store: ['document'], document: ['end'] } },
      'session/document: may not stand above end',
    ],
    ['a sub-folder that imports itself', { trust: { did: ['did'] } }, 'trust/did: may not stand above did'],
    [
      'an import of a sub-folder that the table does not list',
      { trust: { did: ['lists'] } },
      'trust/did: may not stand above lists',
    ],
  ])('is rejected if it contains %s', (_, subRooms, fault) => {
    expect(floorFaults(subRooms)).toEqual([fault])
  })
})

describe('console/', () => {
  it('imports only its own files, two packages and the client, and never inserts text as HTML', () => {
    const files = readSources('console')
    expect(Object.keys(files).length).toBeGreaterThan(15)
    expect(consoleErrorsOf(files)).toEqual([])
  })

  it.each([
    ['a.tsx: may not import ../src/config.ts', "import { a } from '../src/config.ts'"],
    ['a.tsx: may not import react', "import React from 'react'"],
    ['a.tsx: writes markup', 'const a = <p dangerouslySetInnerHTML={{ __html: b }} />'],
    ['a.tsx: 351 lines', 'x()\n'.repeat(351)],
  ])('a source file with one fault gives the error "%s"', (fault, source) => {
    expect(consoleErrorsOf({ 'a.tsx': source })).toEqual([fault])
  })
})

describe('the architecture test', () => {
  it.each<[string, Files, string]>([
    [
      'an upward import',
      { 'crypto/jws.ts': "import { verify } from '../trust/path.ts'" },
      'crypto/jws.ts: may not import ../trust/path.ts',
    ],
    [
      'an upward import of a type',
      { 'codec/cbor.ts': "import type { Jwk } from '../crypto/jwk.ts'" },
      'codec/cbor.ts: may not import ../crypto/jwk.ts',
    ],
    [
      'an upward re-export',
      { 'formats/index.ts': "export * from '../policy/policy.ts'" },
      'formats/index.ts: may not import ../policy/policy.ts',
    ],
    [
      'an upward dynamic import',
      { 'qr/png.ts': "const later = () => import('../session/state.ts')" },
      'qr/png.ts: may not import ../session/state.ts',
    ],
    [
      'an upward import over several lines',
      { 'trust/path.ts': "import {\n  type A,\n  b,\n} from '../formats/format.ts'" },
      'trust/path.ts: may not import ../formats/format.ts',
    ],
    [
      'a value import from a module for type imports only',
      { 'metrics/event.ts': "import { type A, b } from '../env.ts'" },
      'metrics/event.ts: may not import ../env.ts',
    ],
    [
      'an import from the folder of the API description',
      { 'routes/a.ts': "import type { A } from '../../openapi/a.ts'" },
      'routes/a.ts: may not import ../../openapi/a.ts',
    ],
    [
      'a value import of a response schema',
      { 'session/a.ts': "import { reason } from '../api/responses/verifications.ts'" },
      'session/a.ts: may import only types of ../api/responses/verifications.ts',
    ],
    ['an import of a computed name', { 'qr/png.ts': 'import(name)' }, 'qr/png.ts: imports a computed name'],
    ['a folder that is not in the table', { 'utils/a.ts': '' }, 'utils/a.ts: no room called utils'],
    [
      'an import of `hono` in a folder that may not use it',
      { 'session/page.ts': "import { html } from 'hono/html'" },
      'session/page.ts: may not import hono/html',
    ],
    [
      'an import of `zod` instead of `zod/mini`',
      { 'routes/a.ts': "import * as z from 'zod'", 'trust/b.ts': "import * as z from 'zod/mini'" },
      'routes/a.ts: may not import zod',
    ],
    [
      'an import of `cloudflare:workers` in a module that must not know the platform',
      { 'policy/decide.ts': "import { env } from 'cloudflare:workers'" },
      'policy/decide.ts: may not import cloudflare:workers',
    ],
    [
      'a type of Cloudflare in a module that must not know the platform',
      { 'webhook/outbox.ts': 'function enqueue(state: DurableObjectState) {}' },
      'webhook/outbox.ts: knows Cloudflare',
    ],
    [
      'a cycle',
      {
        'trust/a.ts': "import { b } from './b.ts'",
        'trust/b.ts': "import { c } from './c.ts'",
        'trust/c.ts': "export { a } from './a.ts'",
      },
      'cycle: trust/a.ts > trust/b.ts > trust/c.ts > trust/a.ts',
    ],
    [
      'a cycle of types',
      {
        'trust/a.ts': "import type { B } from './b.ts'",
        'trust/b.ts': "import { type A } from './a.ts'",
      },
      'cycle: trust/a.ts > trust/b.ts > trust/a.ts',
    ],
    [
      'an import between sub-folders that may not import each other',
      { 'routes/wallet/a.ts': "import { b } from '../settings/b.ts'" },
      'routes/wallet/a.ts: may not import ../settings/b.ts',
    ],
    [
      'a type import between sub-folders that may not import each other',
      { 'formats/mdoc/a.ts': "import type { B } from '../sd-jwt-vc/b.ts'" },
      'formats/mdoc/a.ts: may not import ../sd-jwt-vc/b.ts',
    ],
    [
      'a sub-folder that is not in the table',
      { 'session/misc/a.ts': '' },
      'session/misc/a.ts: no room called session/misc',
    ],
    [
      'a folder of 16 files',
      Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`trust/did/${i}.ts`, ''])),
      'trust/did: 16 files side by side',
    ],
    ['a file of 351 lines', { 'qr/png.ts': 'x()\n'.repeat(351) }, 'qr/png.ts: 351 lines'],
    [
      'a function of 71 lines',
      { 'qr/png.ts': `\nfunction f(a: { b: string }): Map<string, { c: 1 }> {\n${'x()\n'.repeat(69)}}\n` },
      'qr/png.ts:2: a function of 71 lines',
    ],
    [
      'a method of 71 lines',
      { 'qr/png.ts': `class A {\n  async m(\n  ) {\n${'x()\n'.repeat(68)}  }\n}\n` },
      'qr/png.ts:2: a function of 71 lines',
    ],
    [
      'an arrow function of 71 lines',
      { 'qr/png.ts': `f(async (a: string) => {\n${'x()\n'.repeat(69)}})\n` },
      'qr/png.ts:1: a function of 71 lines',
    ],
    [
      'an expression of 71 lines',
      { 'qr/png.ts': `const f = (a: string) =>\n  g(\n${'    1,\n'.repeat(68)}  )\n\nconst b = 1\n` },
      'qr/png.ts:1: a function of 71 lines',
    ],
    ['`any` as a type', { 'qr/png.ts': 'const a: any = 1' }, 'qr/png.ts: any'],
    ['`any` as a type argument', { 'qr/png.ts': 'const a = new Map<string, any>()' }, 'qr/png.ts: any'],
    ['a cast to `any`', { 'qr/png.ts': 'f(a as any)' }, 'qr/png.ts: any'],
    ['a default export', { 'qr/png.ts': 'export default 1' }, 'qr/png.ts: default export'],
  ])('reports %s', (_, files, fault) => {
    expect(errorsOf(files)).toEqual([fault])
  })

  it('accepts a source that keeps all rules', () => {
    expect(
      errorsOf({
        'worker.ts': "import { app } from './routes/app.ts'\nexport default app",
        'routes/app.ts': "import { Hono } from 'hono'\nimport { err } from '../result.ts'",
        'result.ts': 'export const any = { any: 1, "as any": 2 }',
        'metrics/a.ts': "import type { A } from '../env.ts'\nimport { type B } from '../env.ts'",
        'session/response/a.ts': "import { a } from '../request/a.ts'\nimport { b } from './b.ts'",
        'qr/png.ts': `function f() {\n${'x()\n'.repeat(68)}}\n`,
      }),
    ).toEqual([])
  })

  it('ignores the text of comments, strings, templates and regular expressions', () => {
    const source = [
      "// import { a } from '../session/a.ts'",
      "/* import('../session/b.ts') : any */",
      'const a = "import { c } from \'../session/c.ts\'"',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test holds a template.
      'const b = `${f(`}`)} : any import("../session/d.ts")`',
      'const c = x / 2 + /[/\'"`]: any/.test(y) / 1',
      "import { e } from './e.ts'",
    ].join('\n')
    expect(importsOf(source)).toEqual([{ specifier: './e.ts', typeOnly: false }])
    expect(errorsOf({ 'qr/png.ts': source })).toEqual([])
  })

  it('does not treat control flow or classes as functions', () => {
    const calls = 'x()\n'.repeat(80)
    const source = [
      `if (a) {\n${calls}} else {\n${calls}}`,
      `for (const b of c) {\n${calls}}`,
      `for await (const b of c) {\n${calls}}`,
      `class D {\n${'e = 1\n'.repeat(80)}}`,
      `try {\n${calls}} catch (e) {\n${calls}}`,
    ].join('\n')
    expect(functionsOf(source)).toEqual([])
  })
})
