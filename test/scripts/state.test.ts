import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  checkKeys,
  keepFormSince,
  keepSecrets,
  keepSessionObjects,
  keepUniqueKeys,
  openStateDirectory,
} from '../../scripts/service/state.mjs'

it('a state directory gets a unique key for a new object class, and keeps the keys of other classes', async () => {
  const path = mkdtempSync(join(tmpdir(), 'state-'))
  const directory = openStateDirectory(path)
  const before: Record<string, string> = await keepUniqueKeys(directory, ['Directory'])
  const after: Record<string, string> = await keepUniqueKeys(directory, ['Directory', 'EventLog'])
  rmSync(path, { recursive: true })
  expect(after.Directory).toBe(before.Directory)
  expect(after.EventLog).toMatch(/^[0-9a-f]{64}$/)
  expect(after.EventLog).not.toBe(after.Directory)
})

it('a state directory gets the keys of OpenID Connect at the first start, and keeps them', async () => {
  const path = mkdtempSync(join(tmpdir(), 'state-'))
  const directory = openStateDirectory(path)
  const [first, second] = [await keepSecrets(directory), await keepSecrets(directory)]
  rmSync(path, { recursive: true })
  const { keys } = JSON.parse(first.OIDC_KEYS) as { keys: readonly { kty: string; d?: string }[] }
  expect(keys.map(({ kty, d }) => [kty, typeof d])).toEqual([
    ['EC', 'string'],
    ['RSA', 'string'],
  ])
  expect(first.OIDC_SUBJECT_KEY).toMatch(/^[\w-]{43}$/)
  expect(second).toEqual(first)
})

describe('the keys in a state directory', () => {
  let directory: string
  beforeEach(async () => {
    directory = openStateDirectory(mkdtempSync(join(tmpdir(), 'state-')))
    await keepSecrets(directory)
    const keys: Record<string, string> = await keepUniqueKeys(directory, ['Directory', 'SharedSessions'])
    for (const key of Object.values(keys)) {
      const folder = join(directory, 'objects', key)
      mkdirSync(folder)
      writeFileSync(join(folder, `${'a'.repeat(64)}.sqlite`), '')
    }
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('are accepted if all exist, or if only the key of a class without objects is missing', async () => {
    expect(() => checkKeys(directory, {})).not.toThrow()
    await keepUniqueKeys(directory, ['EventLog'])
    rmSync(join(directory, 'keys', 'unique-key-EventLog'))
    expect(() => checkKeys(directory, {})).not.toThrow()
  })

  it.each([
    ['server-secret', 'keys/server-secret'],
    ['access-token-keys.json', 'keys/access-token-keys.json'],
    ['oidc-keys.json', 'keys/oidc-keys.json'],
    ['oidc-subject-key', 'keys/oidc-subject-key'],
    ['unique-key-Directory', 'a file keys/unique-key-…'],
    ['shared-unique-key', 'a file keys/unique-key-…'],
  ])('are refused if %s is missing, and the error names this file or keys/unique-key-…', (name, named) => {
    rmSync(join(directory, 'keys', name))
    expect(() => checkKeys(directory, {})).toThrow(`objects without their keys (missing: ${named})`)
  })

  it('include the key of shared sessions, in a file that version 0.2.0 does not read', () => {
    const known = readdirSync(join(directory, 'keys'))
      .filter((name) => name.startsWith('unique-key-')) // as 0.2.0 finds them
      .map((name) => readFileSync(join(directory, 'keys', name), 'utf8'))
    const shared = readFileSync(join(directory, 'keys', 'shared-unique-key'), 'utf8')
    expect(readdirSync(join(directory, 'objects')).sort()).toEqual([...known, shared].sort())
  })

  it('may come from the environment, and the admin token may be missing', () => {
    for (const name of ['server-secret', 'access-token-keys.json', 'admin-token'])
      rmSync(join(directory, 'keys', name))
    expect(() => checkKeys(directory, { SERVER_SECRET: 'a', ACCESS_TOKEN_KEYS: 'b' })).not.toThrow()
  })

  it('may all be missing if the state directory has no objects', () => {
    rmSync(join(directory, 'keys'), { recursive: true })
    rmSync(join(directory, 'objects'), { recursive: true })
    openStateDirectory(directory)
    expect(() => checkKeys(directory, {})).not.toThrow()
  })
})

describe('the stored time at which new sessions got their present form', () => {
  let directory: string
  beforeEach(() => {
    directory = openStateDirectory(mkdtempSync(join(tmpdir(), 'state-')))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('is the time of the first start, and later starts do not change it', async () => {
    for (const now of [1_000, 2_000, 3_000]) expect(await keepFormSince(directory, true, now)).toBe(1_000)
  })

  it('is set again by each change of form, in both directions', async () => {
    expect(await keepFormSince(directory, true, 1_000)).toBe(1_000)
    expect(await keepFormSince(directory, false, 2_000)).toBe(2_000)
    expect(await keepFormSince(directory, false, 3_000)).toBe(2_000)
    expect(await keepFormSince(directory, true, 4_000)).toBe(4_000)
    expect(await keepFormSince(directory, true, 5_000)).toBe(4_000)
  })

  it.each(['', 'shared', 'shared -1', 'shared 1e3', 'shared 100\n', 'shared 9000', '\0'])(
    'is set again if the stored text is damaged or contains a future time: %j',
    async (text) => {
      writeFileSync(join(directory, 'session-form'), text)
      expect(await keepFormSince(directory, true, 2_000)).toBe(2_000)
      expect(await keepFormSince(directory, true, 3_000)).toBe(2_000)
    },
  )

  it('is set again if the file session-objects was removed for a return to an earlier version', async () => {
    keepSessionObjects(directory, undefined)
    await keepFormSince(directory, true, 1_000)
    keepSessionObjects(directory, undefined)
    expect(await keepFormSince(directory, true, 2_000)).toBe(1_000)
    rmSync(join(directory, 'keys', 'session-objects'))
    keepSessionObjects(directory, undefined)
    expect(await keepFormSince(directory, true, 3_000)).toBe(3_000)
  })
})
