import { describe, expect, it } from 'vitest'
import { type Schema, upgradeDocument, versionMembers } from '../../src/codec/upgrade.ts'

type Version3 = { readonly schema: 3; readonly name: string }
type Version4 = { readonly schema: 4; readonly label: string }

const SCHEMA: Schema = {
  member: 'schema',
  current: 5,
  steps: {
    3: ({ name }: Version3): Version4 => ({ schema: 4, label: name }),
    4: ({ label }: Version4) => ({ schema: 5, label, color: null }),
  },
  unreadable: 'a document of unknown version ',
}

const OLD = Object.freeze({ schema: 3, name: 'a' })

describe('the upgrade of a stored document', () => {
  it('applies each step from the stored version to the current version, in order', () => {
    expect(upgradeDocument(OLD, SCHEMA)).toEqual({ schema: 5, label: 'a', color: null })
    expect(upgradeDocument({ schema: 4, label: 'b' }, SCHEMA)).toEqual({
      schema: 5,
      label: 'b',
      color: null,
    })
  })

  it('returns a document of the current version unchanged', () => {
    const document = { schema: 5, label: 'a', color: null }
    expect(upgradeDocument(document, SCHEMA)).toBe(document)
  })

  it.each([2, 6, 0, -1, 3.5, '3a', undefined, null])(
    'rejects version %j with an error that names the version',
    (version) => {
      expect(() => upgradeDocument({ schema: version }, SCHEMA)).toThrow(
        `a document of unknown version ${String(version)}`,
      )
    },
  )

  it('leaves the stored document unchanged if the process crashes, and succeeds at the next read', () => {
    const crashing: Schema = {
      ...SCHEMA,
      steps: {
        ...SCHEMA.steps,
        4: () => {
          throw new Error('out of memory')
        },
      },
    }
    const storage = new Map([['document', OLD]])
    const read = (schema: Schema) => upgradeDocument(storage.get('document') ?? {}, schema)
    expect(() => read(crashing)).toThrow('out of memory')
    expect(storage.get('document')).toEqual({ schema: 3, name: 'a' })
    expect(read(SCHEMA)).toEqual({ schema: 5, label: 'a', color: null })
  })
})

describe('a document of the next version', () => {
  /** The same shape after a version that added `size`, with `unit` at a deeper place. */
  const NEXT: Schema = {
    ...SCHEMA,
    current: 6,
    additions: {
      5: ({ box, ...stored }: { readonly box?: object }) => ({
        size: 1,
        ...stored,
        ...(box && { box: { unit: 'mm', ...box } }),
      }),
    },
  }
  const newer = { ...versionMembers(NEXT), label: 'a', color: null, size: 7, box: { width: 2, unit: 'cm' } }

  it('is read by the older build if only members were added, and keeps the added members', () => {
    expect(newer).toMatchObject({ schema: 6, readable_from: 5 })
    expect(upgradeDocument(newer, SCHEMA)).toEqual({ ...newer, schema: 5 })
  })

  it('keeps its added members after an older build read it, and the newer build gives omitted members their defaults', () => {
    const older = upgradeDocument(newer, SCHEMA)
    expect(upgradeDocument(older, NEXT)).toEqual(newer)
    expect(upgradeDocument({ ...older, box: { width: 3 } }, NEXT)).toMatchObject({
      size: 7,
      box: { width: 3, unit: 'mm' },
    })
  })

  it('is rejected if its `readable_from` is missing, is no number or is newer than the version of the build', () => {
    expect(() => upgradeDocument({ ...newer, readable_from: 6 }, SCHEMA)).toThrow('unknown version 6')
    expect(() => upgradeDocument({ schema: 6, label: 'a' }, SCHEMA)).toThrow('unknown version 6')
    expect(() => upgradeDocument({ ...newer, readable_from: '5' }, SCHEMA)).toThrow('unknown version 6')
  })

  it('has as `readable_from` the oldest version from which all later steps only add members', () => {
    const add = (stored: object) => stored
    expect(versionMembers({ ...SCHEMA, current: 8, additions: { 5: add, 6: add, 7: add } })).toEqual({
      schema: 8,
      readable_from: 5,
    })
    expect(versionMembers({ ...SCHEMA, current: 8, additions: { 5: add, 7: add } })).toEqual({
      schema: 8,
      readable_from: 7,
    })
    expect(versionMembers(SCHEMA)).toEqual({ schema: 5 })
  })

  it('is also made from a stored document that is several versions older', () => {
    expect(upgradeDocument(OLD, NEXT)).toEqual({
      schema: 6,
      readable_from: 5,
      label: 'a',
      color: null,
      size: 1,
    })
  })
})
