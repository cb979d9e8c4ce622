import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { backgroundWorker } from './test/support/runner/background-worker.ts'
import { ClosingLine } from './test/support/runner/closing-line.ts'
import { LongestFirst } from './test/support/runner/longest-first.ts'
import { testsInWorkerd } from './test/support/runner/tests-in-workerd.ts'
import { TEST_ENVIRONMENT } from './test/support/service/environment.ts'
import { HANG_MS, WAIT } from './test/support/wait.ts'

const testsBelow = (folder: string) => `test/${folder}/**/*.test.ts`
/** Folders of tests that need the built service. Each is a project of this name. */
const WITH_SERVICE = ['conformance', 'system', 'browser', 'slow', 'faults'].map(testsBelow)
const IN_WORKERD = testsInWorkerd(WITH_SERVICE)

/** Sandbox and demo shop in tests of the objects: 404 for every request. */
const nothing = () => new Response('', { status: 404, headers: { 'content-type': 'text/html' } })

/** Builds the service. */
const BUILD = 'test/support/runner/build-service.ts'
/** Starts the services that test files share, and ends them. */
const SHARED_SERVICES = 'test/support/service/offer-services.ts'

/** The client package by its name, as `paths` in tsconfig.json has it. */
const CLIENT = join(import.meta.dirname, 'packages/client/src')

/**
 * Node loads the modules of a project by itself, in less time than Vite. Counters of coverage need Vite, and so
 * does workerd.
 */
const BY_NODE = process.argv.includes('--coverage.enabled')
  ? { alias: { 'cloudflare:workers': join(import.meta.dirname, 'test/mutation/platform/workers.ts') } }
  : {
      experimental: { viteModuleRunner: false, nodeLoader: false },
      execArgv: ['--import', join(import.meta.dirname, 'test/support/runner/modules.mjs')],
    }

// The core runs as plain functions, the objects inside workerd, the whole service over HTTP, and its pages in
// a browser. What kills, waits or repeats for minutes runs after them, and the faults of a machine last.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@wallet-verifier\/client$/, replacement: `${CLIENT}/client.ts` },
      { find: /^@wallet-verifier\/client\/(.+)$/, replacement: `${CLIENT}/$1.ts` },
    ],
  },
  test: {
    // Limits for a hang. They say nothing about speed.
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: WAIT },
    reporters: ['default', new ClosingLine()],
    sequence: { sequencer: LongestFirst },
    // The service's own lines for each request (src/routes/edge/log.ts) would bury everything else.
    onConsoleLog: (text) => !/"event":"(request|operator_change)"/.test(text),
    projects: [
      {
        extends: true,
        test: {
          name: 'core',
          ...BY_NODE,
          include: ['test/**/*.test.ts'],
          exclude: [...WITH_SERVICE, ...IN_WORKERD],
          isolate: false,
          maxWorkers: 5,
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest(() => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              workers: [backgroundWorker()],
              // Bare workerd has this namespace. Each session has its own object here, except in tests of it.
              durableObjects: { SHARED_SESSIONS: { className: 'SharedSessions', useSQLite: true } },
              bindings: { ...TEST_ENVIRONMENT, SHARE_SESSIONS: '0', SESSION_OBJECTS: '1' },
              serviceBindings: { SANDBOX: nothing, DEMO_SHOP: nothing },
            },
          })),
        ],
        test: {
          name: 'workers',
          include: IN_WORKERD,
          // Files share one copy of the modules: loading the service anew for each file took most of the time.
          isolate: false,
          maxWorkers: 5,
          setupFiles: 'test/workerd/fresh-storage.ts',
          // Data that only node can make, for tests inside workerd.
          globalSetup: ['test/workerd/mdocs.ts', 'test/workerd/built-assets.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          ...BY_NODE,
          include: [testsBelow('conformance')],
          globalSetup: [BUILD, SHARED_SERVICES],
          isolate: false,
          maxWorkers: 5,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          ...BY_NODE,
          include: [testsBelow('system')],
          globalSetup: [BUILD, SHARED_SERVICES],
          maxWorkers: 5, // each file starts a service of its own
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          ...BY_NODE,
          include: [testsBelow('browser')],
          globalSetup: [BUILD, SHARED_SERVICES],
          isolate: false, // files of one worker share a browser
          maxWorkers: 5,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          ...BY_NODE,
          include: [testsBelow('slow')],
          globalSetup: [BUILD, SHARED_SERVICES],
          provide: { fullSize: true },
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          ...BY_NODE,
          include: [testsBelow('faults')],
          globalSetup: BUILD,
          sequence: { groupOrder: 2 },
          maxWorkers: 1, // no file beside another: each takes what it has of descriptors, disk or memory
        },
      },
    ],
  },
})
