// The clients for Python, Go and Java: what is written by hand fits the description that the rest is
// generated from. `npm run proof -- clients` generates, compiles and runs them, and compares the digest of
// the description in each installed package with the description that the service serves.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clientDescription, descriptionDigest } from '../../openapi/client-description.ts'
import type { Description } from '../../openapi/description.ts'
import { DESCRIPTION } from '../support/reading/described.ts'

const CLIENT = clientDescription(DESCRIPTION)

/** Folder of the sources of each client, and the form of a comment line. */
const LANGUAGES = [
  ['python', 'packages/client-python/src/wallet_verifier', /^\s*#/],
  ['go', 'packages/client-go', /^\s*\/\//],
  ['java', 'packages/client-java/src/main/java/walletverifier', /^\s*(\/\/|\/\*|\*)/],
] as const

type Language = (typeof LANGUAGES)[number][0]

function sourcesOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => /\.(py|go|java)$/.test(name))
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}

/** Returns the operations that a client calls by their generated names, as the description spells them. */
const OPERATIONS: Readonly<Record<Language, (source: string) => readonly string[]>> = {
  python: (source) =>
    [...source.matchAll(/\b(\w+)\.sync_detailed\b/g)].map(([, name = '']) => camelCase(name)),
  go: (source) =>
    [...source.matchAll(/\bAPI\.(\w+)WithResponse\(/g)].map(([, name = '']) => lowerFirst(name)),
  java: (source) => [...source.matchAll(/\bverifications\.(\w+)\(/g)].map(([, name = '']) => name),
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

/** Members that the hand-written parts read or set. */
const MEMBERS = {
  CreatedVerification: ['verification_id', 'session_url'],
  Verification: ['status', 'version', 'encrypted_claims'],
  Redemption: ['return_code'],
  Event: ['event_id', 'event_type'],
  TestEvent: ['event_id', 'event_type'],
  Problem: ['code', 'title', 'status', 'detail', 'type', 'request_id', 'retryable', 'errors'],
} as const

/** Returns what the hand-written part of a client needs, and the description has not. */
function missingIn(description: Description, language: Language, source: string): readonly string[] {
  const operations = Object.values(description.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  const { schemas } = description.components
  return [
    ...OPERATIONS[language](source).filter((name) => !operations.includes(name)),
    ...Object.entries(MEMBERS).flatMap(([schema, members]) =>
      members
        .filter((member) => !schemas[schema]?.required?.includes(member))
        .map((name) => `${schema}.${name}`),
    ),
  ]
}

describe('the description for clients', () => {
  it('has every operation of a relying party, with the responses for success and one response for all errors', () => {
    const tags = new Set(['Verifications', 'Your settings'])
    const all = Object.values(DESCRIPTION.paths).flatMap((item) => Object.values(item))
    const kept = Object.values(CLIENT.paths).flatMap((item) => Object.values(item))
    const names = all.filter((one) => tags.has(one.tags[0] ?? '')).map(({ operationId }) => operationId)
    expect(kept.map(({ operationId }) => operationId)).toEqual(names)
    for (const { responses } of kept)
      expect(Object.keys(responses).filter((status) => !/^(2\d\d|default)$/.test(status))).toEqual([])
  })

  it('has every schema to which it refers, and the schemas of the events, but no other', () => {
    const named = [...JSON.stringify(CLIENT).matchAll(/schemas\/(\w+)"/g)].map(([, name = '']) => name)
    const expected = new Set([...named, 'Event', 'TestEvent'])
    expect(Object.keys(CLIENT.components.schemas).sort()).toEqual([...expected].sort())
  })

  it('has the schemas of the served description, without a change', () => {
    for (const [name, schema] of Object.entries(CLIENT.components.schemas))
      expect(schema).toEqual(DESCRIPTION.components.schemas[name])
  })

  it('has another digest after a member or a path was removed', () => {
    const { paths, components } = DESCRIPTION
    const { version: _, ...properties } = components.schemas.Verification?.properties ?? {}
    const Verification = { ...components.schemas.Verification, properties }
    const changed = {
      ...DESCRIPTION,
      components: { ...components, schemas: { ...components.schemas, Verification } },
    }
    const { '/v1/wallets': __, ...fewer } = paths
    const digests = [DESCRIPTION, changed, { ...DESCRIPTION, paths: fewer }].map((each) =>
      descriptionDigest(clientDescription(each)),
    )
    expect(new Set(digests).size).toBe(3)
  })
})

describe.each(LANGUAGES)('the hand-written part of the client for %s', (language, folder, comment) => {
  const source = sourcesOf(folder)

  it('calls operations and reads members that the description has', () => {
    expect(new Set(OPERATIONS[language](source)).size).toBeGreaterThanOrEqual(3)
    expect(missingIn(CLIENT, language, source)).toEqual([])
  })

  it('is reported as outdated after an operation or a member was removed from the description', () => {
    const text = JSON.stringify(CLIENT)
    const renamed: Description = JSON.parse(text.replaceAll('redeemReturnCode', 'redeemCode'))
    expect(missingIn(renamed, language, source)).toEqual(['redeemReturnCode'])
    const fewer: Description = JSON.parse(text.replaceAll('"session_url"', '"page_url"'))
    expect(missingIn(fewer, language, source)).toEqual(['CreatedVerification.session_url'])
  })

  it('has at most 300 lines of code', () => {
    const lines = source.split('\n').filter((line) => line.trim() !== '' && !comment.test(line))
    expect(lines.length).toBeLessThanOrEqual(300)
  })
})

it('the client packages have the version of the project', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
  const read = (path: string) => readFileSync(path, 'utf8')
  expect(read('packages/client-python/pyproject.toml')).toContain(`\nversion = "${version}"\n`)
  const artifact = `<artifactId>wallet-verifier-client</artifactId>\n  <version>${version}</version>`
  expect(read('packages/client-java/pom.xml')).toContain(artifact)
  for (const user of ['examples/java-client/pom.xml', 'test/clients/sdk-java/pom.xml'])
    expect(read(user).replace(/\n +/g, '\n  ')).toContain(artifact)
  expect(read('scripts/clients/packages.ts')).toContain(`v${version}`)
})

it('the package for Java has everything that Maven Central requires of a pom', () => {
  const pom = readFileSync('packages/client-java/pom.xml', 'utf8')
  for (const name of ['name', 'description', 'url', 'licenses', 'developers', 'scm'])
    expect(pom, name).toMatch(new RegExp(`^  <${name}>`, 'm'))
  for (const plugin of ['maven-source-plugin', 'maven-javadoc-plugin']) expect(pom).toContain(plugin)
})
