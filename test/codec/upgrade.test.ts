import { describe, expect, it } from 'vitest'
import { type Schema, upgradeDocument } from '../../src/codec/upgrade.ts'

type Version3 = { readonly version: 3; readonly name: string }
type Version4 = { readonly version: 4; readonly label: string }

const SCHEMA: Schema = {
  current: 5,
  steps: {
    3: ({ name }: Version3): Version4 => ({ version: 4, label: name }),
    4: ({ label }: Version4) => ({ version: 5, label, color: null }),
  },
  unreadable: 'a document of unknown version ',
}

const OLD = Object.freeze({ version: 3, name: 'a' })

describe('the upgrade of a stored document', () => {
  it('applies each step from its version on, in order', () => {
    expect(upgradeDocument(OLD, 3, SCHEMA)).toEqual({ version: 5, label: 'a', color: null })
    expect(upgradeDocument({ version: 4, label: 'b' }, 4, SCHEMA)).toEqual({
      version: 5,
      label: 'b',
      color: null,
    })
  })

  it('returns a current document as it is', () => {
    const document = { version: 5, label: 'a', color: null }
    expect(upgradeDocument(document, 5, SCHEMA)).toBe(document)
  })

  it.each([2, 6, 0, -1, 3.5, '3a', undefined, null])('rejects version %j by name', (version) => {
    expect(() => upgradeDocument({ version }, version, SCHEMA)).toThrow(
      `a document of unknown version ${String(version)}`,
    )
  })

  it('leaves what is stored untouched by a crash in the middle, and succeeds at the next read', () => {
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
    const read = (schema: Schema) => upgradeDocument(storage.get('document') ?? {}, 3, schema)
    expect(() => read(crashing)).toThrow('out of memory')
    expect(storage.get('document')).toEqual({ version: 3, name: 'a' })
    expect(read(SCHEMA)).toEqual({ version: 5, label: 'a', color: null })
  })
})
