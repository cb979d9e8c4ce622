import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../src/config.ts'
import { type Env, withJurisdiction } from '../src/env.ts'
import { TEST_ENVIRONMENT } from './support/service/environment.ts'

const NAMES = [
  'VERIFICATION_SESSION',
  'RELYING_PARTY',
  'DIRECTORY',
  'EVENT_LOG',
  'TRUST_LIST',
  'VERIFICATION_INDEX',
  'EVIDENCE_MATERIALS',
  'EVIDENCE_SESSIONS',
]

/** Returns bindings of the platform, with namespaces that can be distinguished. */
function bindings(variables: object = {}): Env {
  const namespace = (name: string) => ({ jurisdiction: (place: string) => `${name} in ${place}` })
  const namespaces = Object.fromEntries(NAMES.map((name) => [name, namespace(name)]))
  return { ...TEST_ENVIRONMENT, ...namespaces, ...variables } as unknown as Env
}

it('withJurisdiction returns the bindings unchanged without a jurisdiction', () => {
  const env = bindings()
  expect(withJurisdiction(env)).toBe(env)
  expect(loadConfig(env).jurisdiction).toBeNull()
})

it.each(['eu', 'fedramp'])(
  'withJurisdiction returns the namespaces of %s, and all other bindings unchanged',
  (JURISDICTION) => {
    const env = bindings({ JURISDICTION })
    const there = Object.fromEntries(NAMES.map((name) => [name, `${name} in ${JURISDICTION}`]))
    expect(withJurisdiction(env)).toEqual({ ...env, ...there })
    expect(loadConfig(withJurisdiction(env)).jurisdiction).toBe(JURISDICTION)
  },
)

it('withJurisdiction returns the same object for the same bindings, because caches use it as a key', () => {
  const env = bindings({ JURISDICTION: 'eu' })
  expect(withJurisdiction(env)).toBe(withJurisdiction(env))
  expect(withJurisdiction(bindings({ JURISDICTION: 'eu' }))).not.toBe(withJurisdiction(env))
})

it('loadConfig refuses an unknown jurisdiction', () => {
  expect(() => loadConfig(bindings({ JURISDICTION: 'EU' }))).toThrow('JURISDICTION')
})

it('withJurisdiction limits the bindings of every object class to the jurisdiction', () => {
  const src = join(import.meta.dirname, '..', 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const classes = files
    .map((path) => readFileSync(join(src, path), 'utf8'))
    .filter((text) => /extends (DurableObject<|SessionObject)/.test(text))
  // `EventLog` extends `VerificationIndex`. `SharedSessions` has no binding on Cloudflare.
  expect(classes).toHaveLength(NAMES.length)
  for (const text of classes) {
    const [made = ''] = /constructor\([\s\S]*?\n {2}\}/.exec(text) ?? []
    expect(made).toContain('super(ctx, withJurisdiction(env))')
    // Any other use of the parameter would leave the jurisdiction.
    expect(made.match(/(?<!\.)\benv\b(?!:)/g)).toHaveLength(1)
  }
})
