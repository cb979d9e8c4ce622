import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configOf } from '../src/config.ts'
import { type Env, withJurisdiction } from '../src/env.ts'
import { TEST_ENVIRONMENT } from './support/service/environment.ts'

const NAMES = ['VERIFICATION_SESSION', 'RELYING_PARTY', 'DIRECTORY', 'EVENT_LOG', 'TRUST_LIST']

/** What the platform hands out, with namespaces that can be told apart. */
function bindings(variables: object = {}): Env {
  const namespace = (name: string) => ({ jurisdiction: (place: string) => `${name} in ${place}` })
  const namespaces = Object.fromEntries(NAMES.map((name) => [name, namespace(name)]))
  return { ...TEST_ENVIRONMENT, ...namespaces, ...variables } as unknown as Env
}

it('without a jurisdiction the bindings are as they came', () => {
  const env = bindings()
  expect(withJurisdiction(env)).toBe(env)
  expect(configOf(env).jurisdiction).toBeNull()
})

it.each(['eu', 'fedramp'])(
  'with %s every namespace is the one there, and all else as it came',
  (JURISDICTION) => {
    const env = bindings({ JURISDICTION })
    const there = Object.fromEntries(NAMES.map((name) => [name, `${name} in ${JURISDICTION}`]))
    expect(withJurisdiction(env)).toEqual({ ...env, ...there })
    expect(configOf(withJurisdiction(env)).jurisdiction).toBe(JURISDICTION)
  },
)

it('hands out one object for each of the platform’s, so that what is remembered of it is found again', () => {
  const env = bindings({ JURISDICTION: 'eu' })
  expect(withJurisdiction(env)).toBe(withJurisdiction(env))
  expect(withJurisdiction(bindings({ JURISDICTION: 'eu' }))).not.toBe(withJurisdiction(env))
})

it('refuses a jurisdiction nobody knows', () => {
  expect(() => configOf(bindings({ JURISDICTION: 'EU' }))).toThrow('JURISDICTION')
})

it('every class of objects takes its bindings from there', () => {
  const src = join(import.meta.dirname, '..', 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const classes = files
    .map((path) => readFileSync(join(src, path), 'utf8'))
    .filter((text) => text.includes('extends DurableObject<'))
  expect(classes).toHaveLength(NAMES.length)
  for (const text of classes) {
    const [made = ''] = /constructor\([\s\S]*?\n {2}\}/.exec(text) ?? []
    expect(made).toContain('super(ctx, withJurisdiction(env))')
    // Whatever else were made of the parameter would lead out of the jurisdiction.
    expect(made.match(/(?<!\.)\benv\b(?!:)/g)).toHaveLength(1)
  }
})
