import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { IN_BOTH, PROJECTS } from './scripts/service/test-projects.mjs'
import { TEST_ENVIRONMENT } from './test/support/service/environment.ts'

/** Every test of a project. */
const testsOf = (project: keyof typeof PROJECTS) =>
  PROJECTS[project].map((folder) => `test/${folder}/**/*.test.ts`)

/** Sandbox and demo shop in tests of the objects: 404 for every request. */
const nothing = () => new Response('', { status: 404, headers: { 'content-type': 'text/html' } })

/** Starts the services that test files share, and ends them. */
const SHARED_SERVICES = 'test/support/service/shared-services.ts'

/** The client package by its name, as `paths` in tsconfig.json has it. */
const CLIENT = join(import.meta.dirname, 'packages/client/src')
const resolve = {
  alias: [
    { find: /^@wallet-verifier\/client$/, replacement: `${CLIENT}/client.ts` },
    { find: /^@wallet-verifier\/client\/(.+)$/, replacement: `${CLIENT}/$1.ts` },
  ],
}

// The core runs as plain functions, the objects inside workerd, the whole service over HTTP, and its pages in a browser.
export default defineConfig({
  test: {
    // The service's own lines for each request (src/routes/edge/log.ts) would bury everything else.
    onConsoleLog: (text) => !/"event":"(request|operator_change)"/.test(text),
    projects: [
      {
        resolve,
        test: {
          name: 'core',
          maxWorkers: 2, // the default leaves one of two cores unused
          testTimeout: 60_000,
          include: ['test/*.test.ts', ...testsOf('core')],
        },
      },
      {
        resolve,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: TEST_ENVIRONMENT,
              serviceBindings: { SANDBOX: nothing, DEMO_SHOP: nothing },
            },
          }),
        ],
        test: {
          name: 'workers',
          // Files share one copy of the modules: loading the service anew for each file took most of the time.
          isolate: false,
          maxWorkers: 2,
          setupFiles: 'test/workerd/fresh-storage.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Data that only node can make, for tests inside workerd.
          globalSetup: ['test/workerd/mdocs.ts', 'test/workerd/description.ts'],
          include: [...testsOf('workers'), ...IN_BOTH],
        },
      },
      {
        resolve,
        test: {
          name: 'conformance',
          include: testsOf('conformance'),
          globalSetup: SHARED_SERVICES,
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 3,
        },
      },
      {
        resolve,
        test: {
          name: 'system',
          include: testsOf('system'),
          globalSetup: SHARED_SERVICES,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 3, // each file starts a service of its own; with more, those that kill and race would starve
        },
      },
      {
        resolve,
        test: {
          name: 'browser',
          include: testsOf('browser'),
          globalSetup: SHARED_SERVICES,
          isolate: false, // files of one worker share a browser
          // Pages poll, and a loaded machine is slow: every wait is for a state, and long.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 30_000 } },
          maxWorkers: 2, // each has a browser
        },
      },
      {
        resolve,
        test: {
          name: 'slow',
          include: testsOf('slow'),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 1, // one file at a time: those that kill and race would starve
        },
      },
    ],
  },
})
