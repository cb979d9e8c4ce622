import { describe, expect, it } from 'vitest'
import { PROJECTS, selectProjects, testFiles } from '../../scripts/service/test-projects.mjs'

describe('selectProjects', () => {
  it('selects every project without a filter', () => {
    expect(selectProjects([])).toEqual({ projects: Object.keys(PROJECTS), needsBundle: true, unmatched: [] })
  })

  it.each([
    ['test/codec/cbor.test.ts', ['core'], false],
    ['cbor.test.ts:12', ['core'], false],
    ['test/session', ['workers'], false],
    ['test/trust/status/status-inflate.test.ts', ['core', 'workers'], false],
    ['test/architecture.test.ts', ['core'], false],
    ['test/conformance/oidc', ['conformance'], true],
    ['test/system/races', ['system'], true],
    ['test/browser/', ['browser'], true],
  ])('selects for %s the projects %j', (filter, projects, needsBundle) => {
    expect(selectProjects([filter])).toEqual({ projects, needsBundle, unmatched: [] })
  })

  it('names each filter that matches no file', () => {
    expect(selectProjects(['test/codec', 'test/nowhere']).unmatched).toEqual(['test/nowhere'])
  })

  it('leaves options and their values to vitest', () => {
    expect(selectProjects(['-t', 'some title'])).toMatchObject({ unmatched: [], needsBundle: true })
  })

  it('assigns every test file to a project', () => {
    const files = testFiles()
    const lost = files.filter((file) => selectProjects([file], files).projects.length === 0)
    expect(files.length).toBeGreaterThan(200)
    expect(lost).toEqual([])
  })
})
