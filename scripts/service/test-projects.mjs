// The vitest projects, and which of them a run needs. vitest.config.ts takes its folders from here.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'

/** Folders below test/ by project, in the order of a run. Files directly below test/ belong to `core`. */
export const PROJECTS = {
  core: [
    ...['codec', 'crypto', 'trust', 'formats', 'openid4vp', 'iso18013-7', 'policy', 'net', 'webhook', 'qr'],
    ...[
      'client',
      'demo-shop',
      'sandbox',
      'limits',
      'scripts',
      'documents',
      'wallets',
      'simulation',
      'console',
    ],
  ],
  workers: ['metrics', 'openapi', 'session', 'relying-party', 'routes', 'workerd'],
  conformance: ['conformance'],
  system: ['system'],
  browser: ['browser'],
  slow: ['slow'],
}

/** Tests of `core` that also run in `workers`: they use the inflater of the platform. */
export const IN_BOTH = ['test/trust/status/status-inflate.test.ts']

/** Projects whose tests start the built service. */
const NEED_BUNDLE = ['conformance', 'system', 'browser', 'slow']

/** Every test file, as paths with `/` relative to the root. */
export function testFiles(root = ROOT) {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
}

/**
 * Selects the projects that the arguments of `npm test` ask for. A filter is a part of a path, as in vitest.
 * Returns `projects`, whether they need the bundle, and `unmatched`: the filters that match no file.
 */
export function selectProjects(args, files = testFiles()) {
  // With options among the arguments, only vitest knows which of them are filters.
  const filters = args.some((arg) => arg.startsWith('-')) ? [] : args.map((arg) => arg.replace(/:\d+$/, ''))
  const selected = files.filter(
    (file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
  )
  const projects = Object.keys(PROJECTS).filter((name) =>
    selected.some((file) => projectsOf(file).includes(name)),
  )
  return {
    projects,
    needsBundle: projects.some((name) => NEED_BUNDLE.includes(name)),
    unmatched: filters.filter((filter) => !files.some((file) => file.includes(filter))),
  }
}

function projectsOf(file) {
  const [, folder, ...rest] = file.split('/')
  const own =
    rest.length === 0 ? ['core'] : Object.keys(PROJECTS).filter((name) => PROJECTS[name].includes(folder))
  return IN_BOTH.includes(file) ? [...own, 'workers'] : own
}
