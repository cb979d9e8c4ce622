// Domestic types of the PID: the catalogue, types that relying parties had added, and registrations.

import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import { BUILT_IN_TYPES, DOMESTIC_PIDS } from '../../src/policy/built-in-types.ts'
import {
  credentialType,
  findFormat,
  findType,
  typeConflicts,
  typeDefinitions,
  typeOf,
  withRegisteredPids,
} from '../../src/policy/catalogue.ts'
import type { CredentialTypeDefinition } from '../../src/policy/policy.ts'

const SD_JWT = 'dc+sd-jwt'
const ALL = ['urn:eudi:pid:1', 'urn:eudi:pid:de:1', 'urn:eudi:pid:it:1', 'urn:eudi:pid:nl:1']

function pidIn(definitions: readonly CredentialTypeDefinition[]) {
  const pid = definitions.find(({ name }) => name === 'pid')
  return pid === undefined ? undefined : findFormat(pid, SD_JWT)?.identifiers
}

describe('a domestic type of the PID', () => {
  it.each(DOMESTIC_PIDS)(
    'a domestic type of the PID of $country is named by its country and has a source',
    (domestic) => {
      const { country, vct, source, checked } = domestic
      expect(vct).toBe(`urn:eudi:pid:${country.toLowerCase()}:1`)
      expect(source).not.toBe('')
      expect(checked).toMatch(/^\d{4}-\d\d-\d\d$/)
      expect(typeOf(typeDefinitions([]))(SD_JWT, vct)).toEqual({ name: 'pid', builtIn: true })
    },
  )

  it('is requested after the type of the Rulebook', () => {
    expect(pidIn(typeDefinitions([]))).toEqual(ALL)
  })

  it('belongs to one format', () => {
    expect(findType(BUILT_IN_TYPES, 'mso_mdoc', 'urn:eudi:pid:de:1')).toBeUndefined()
    expect(typeOf(typeDefinitions([]))(SD_JWT, 'urn:eudi:pid:xx:1')).toBeUndefined()
  })
})

describe('an added type with the identifier of a domestic PID', () => {
  const added: CredentialTypeDefinition = {
    name: 'german_pid',
    formats: { [SD_JWT]: { identifiers: ['urn:eudi:pid:de:1'], scopes: { name: { path: ['name'] } } } },
  }
  const definitions = typeDefinitions([added])

  it('is the type of credentials with this identifier, and the built-in PID no longer has this identifier', () => {
    expect(typeConflicts([added])).toEqual([])
    expect(typeOf(definitions)(SD_JWT, 'urn:eudi:pid:de:1')).toEqual({ name: 'german_pid', builtIn: false })
    expect(pidIn(definitions)).toEqual(ALL.filter((vct) => vct !== 'urn:eudi:pid:de:1'))
  })

  it('does not change the PID of the Rulebook, which is still a built-in type', () => {
    const pid = findType(definitions, SD_JWT, 'urn:eudi:pid:1')
    expect(pid && credentialType(pid)).toEqual({ name: 'pid', builtIn: true })
  })

  it('cannot have the identifier of the PID in the Rulebook', () => {
    const formats = { [SD_JWT]: { identifiers: ['urn:eudi:pid:1'], scopes: {} } }
    expect(typeConflicts([{ name: 'mine', formats }])).toHaveLength(1)
  })
})

describe('a registration', () => {
  const registered = (meta: string | { readonly vct_values: string[] }, format = SD_JWT) =>
    pidIn(withRegisteredPids(typeDefinitions([]), [{ format, meta }], FORMATS))

  it.each([
    [{ vct_values: ['urn:eudi:pid:1'] }, ['urn:eudi:pid:1']],
    ['urn:eudi:pid:1', ['urn:eudi:pid:1']],
    [{ vct_values: ['urn:eudi:pid:de:1'] }, ['urn:eudi:pid:de:1']],
    [{ vct_values: ['urn:eudi:pid:nl:1', 'urn:eudi:pid:1'] }, ['urn:eudi:pid:1', 'urn:eudi:pid:nl:1']],
  ])('with %j limits the requested types of the PID to the registered types', (meta, requested) => {
    expect(registered(meta)).toEqual(requested)
  })

  it('without a type of the PID does not limit the requested types of the PID', () => {
    expect(registered({ vct_values: ['urn:other'] })).toEqual(ALL)
    expect(registered('urn:eudi:pid:1', 'jwt_vc_json')).toEqual(ALL)
  })
})
