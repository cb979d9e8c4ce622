// Pages that cite tests by file: docs/asvs.md, docs/privacy-and-threats.md and docs/proof.md. Each cited file
// exists and has tests. The ASVS table is complete, and docs/cryptography.md names each algorithm and key.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proofSteps } from '../scripts/service/proofs.mjs'
import { SIGNATURE_ALGORITHMS } from '../src/crypto/algorithms.ts'
import { CONTENT_ENCRYPTIONS } from '../src/openid4vp/response/response-encryption.ts'
import { fileErrorOf, rowsOf } from './support/reading/citations.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

/** Returns the part of a page from a heading to the next heading of its level. */
function section(page: string, heading: string): string {
  const [, rest = ''] = page.split(`\n${heading}\n`)
  const [level = ''] = /^#+/.exec(heading) ?? []
  return rest.split(new RegExp(`\n${level} `))[0] ?? ''
}

/** Returns the errors of rows whose last cell must cite test files: `file`<br>`file`. */
function citationErrors(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.flatMap((row) =>
    (row.at(-1) ?? '').split('<br>').flatMap((cited) => {
      const [, file] = /^`([^`]+)`$/.exec(cited) ?? []
      const error = file === undefined ? `no test in “${cited}”` : fileErrorOf(file)
      return error === undefined ? [] : [`${row[0]}: ${error}`]
    }),
  )
}

/** Returns the requirements of docs/asvs.md. */
function requirements(page: string): readonly (readonly string[])[] {
  return rowsOf(page, 'number').filter(([number = '']) => number.includes('.'))
}

describe('cited test files', () => {
  const threats = rowsOf(section(read('docs/privacy-and-threats.md'), '## Threats'), 'threat')
  const met = requirements(read('docs/asvs.md')).filter((row) => row[3] === 'met')

  it.each([
    ['each threat', threats, 90],
    ['each requirement that is met', met, 150],
  ])('exist and contain tests for %s', (_, rows, atLeast) => {
    expect(rows.length).toBeGreaterThan(atLeast)
    expect(citationErrors(rows)).toEqual([])
  })

  it('exist and have tests if docs/proof.md names them', () => {
    const files = [...read('docs/proof.md').matchAll(/`([^`\s]+\.test\.ts)`/g)].map(([, file]) =>
      String(file),
    )
    expect(files.length).toBeGreaterThan(20)
    expect(files.flatMap((file) => fileErrorOf(file) ?? [])).toEqual([])
  })

  it.each([
    ['a missing file', '`codec/nowhere.test.ts`', 'no file codec/nowhere.test.ts'],
    ['a file that no test runs', '`system/fuzz/targets.ts`', 'system/fuzz/targets.ts is run by no test'],
    ['a file without tests', '`documents/pages.ts`', 'documents/pages.ts has no tests'],
    ['a text in place of a file', '–', 'no test in “–”'],
    ['one bad file among good ones', '`codec/json.test.ts`<br>`codec/x.test.ts`', 'no file codec/x.test.ts'],
  ])('are reported as wrong in the case of %s', (_, cell, error) => {
    expect(citationErrors([['a threat', cell]])).toEqual([`a threat: ${error}`])
  })
})

describe('docs/asvs.md', () => {
  const { levels } = JSON.parse(read('test/vectors/asvs-5.0.json')) as { levels: Record<string, string[]> }
  const expected = Object.entries(levels).flatMap(([level, numbers]) =>
    numbers.map((number) => `${number} ${level}`),
  )
  const page = read('docs/asvs.md')
  const numbersOf = (text: string) => requirements(text).map(([number, level]) => `${number} ${level}`)

  it('has each requirement of level 1 and 2 once, with its level', () => {
    expect(numbersOf(page).toSorted()).toEqual(expected.toSorted())
    const repeated = `${page}\n| 1.2.1 | 1 | x | does not apply | y | – |`
    expect(numbersOf(repeated).toSorted()).not.toEqual(expected.toSorted())
  })

  it('states where each requirement is met, or why it is not met', () => {
    expect(requirements(page).filter((row) => !isComplete(row))).toEqual([])
  })

  it.each([
    ['a missing cell', ['1.2.1', '1', 'x', 'met', '`src/x.ts`']],
    ['a place that does not exist', ['1.2.1', '1', 'x', 'met', 'somewhere', '`codec/json.test.ts`']],
    [
      'a test for a requirement that is not met',
      ['1.2.1', '1', 'x', 'not met', 'why', '`codec/json.test.ts`'],
    ],
    ['an unknown state', ['1.2.1', '1', 'x', 'perhaps', 'why', '–']],
  ])('may not have a row with %s', (_, row) => {
    expect(isComplete(row)).toBe(false)
  })

  /** Returns `true` for a row with a place in the project if met, and with a reason and no test if not. */
  function isComplete(row: readonly string[]): boolean {
    const [, , about = '', state = '', where = '', shown = ''] = row
    if (row.length !== 6 || about === '' || where === '') return false
    if (state === 'met') return /`(src|assets|scripts|tsconfig)[\w./-]*`|\]\(/.test(where)
    return ['not met', 'does not apply'].includes(state) && shown === '–'
  }

  it('states for each level how many requirements are met, do not apply and are not met', () => {
    for (const level of ['1', '2']) {
      const states = requirements(page).flatMap((row) => (row[1] === level ? [row[3]] : []))
      const counts = ['met', 'does not apply', 'not met'].map((name) =>
        states.filter((state) => state === name),
      )
      expect(page).toContain(`| ${[level, ...counts.map((rows) => rows.length)].join(' | ')} |`)
    }
  })
})

describe('SECURITY.md', () => {
  const dependencies = section(read('SECURITY.md'), '## Dependencies')

  it('states for each kind of dependency within what time it is updated', () => {
    const times = rowsOf(dependencies, 'when')
    expect(times.length).toBeGreaterThan(3)
    for (const [, time] of times) expect(time).toMatch(/^\d+ (working days|days|months)$/)
  })

  it('states the right number of packages of the service', () => {
    const { dependencies: packages } = JSON.parse(read('package.json'))
    expect(dependencies).toContain('Eight packages are part of the service')
    expect(Object.keys(packages)).toHaveLength(8)
  })
})

describe('docs/cryptography.md', () => {
  it('names every signature algorithm, content encryption and hash of the sources', () => {
    const page = read('docs/cryptography.md')
    const missing = [...SIGNATURE_ALGORITHMS, ...CONTENT_ENCRYPTIONS, 'sha-256', 'sha-384', 'sha-512'].filter(
      (name) => !page.includes(`\`${name}\``),
    )
    expect(missing).toEqual([])
  })

  it('names every purpose of a key that is derived from SERVER_SECRET', () => {
    const page = read('docs/cryptography.md')
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    )
    const purposes = sources.flatMap((path) =>
      [...read(`src/${path}`).matchAll(/\bderived?Key\(.*?, ['`]([a-z-]+)/g)].map(([, purpose]) =>
        String(purpose),
      ),
    )
    expect(new Set(purposes).size).toBeGreaterThan(10)
    expect(purposes.filter((purpose) => !page.includes(`\`${purpose}`))).toEqual([])
  })
})

describe('docs/proof.md', () => {
  const page = read('docs/proof.md')

  it('quotes each claim of the README, with a command that proves the claim', () => {
    const prose = read('README.md')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/\s+/g, ' ')
    const claims = rowsOf(section(page, '## The claims'), 'claim')
    const wrong = claims.filter(([claim = '', shown = '']) => {
      const [, quoted = claim] = /“(.+)”/.exec(claim) ?? []
      return !prose.includes(quoted) || !shown.includes('`npm ')
    })
    expect(claims.length).toBeGreaterThan(10)
    expect(wrong).toEqual([])
  })

  it('names each step of npm run proof -- all, in order', () => {
    const steps = rowsOf(page.split('\n## ')[0] ?? '', 'step').map(([step = '']) => step)
    const commands = proofSteps({ small: false }).map((step) => `npm ${step}`)
    expect(steps).toHaveLength(commands.length)
    expect(steps.filter((step, i) => !commands[i]?.startsWith(step.replaceAll('`', '')))).toEqual([])
  })
})

it('the README requires the same Node version as package.json', () => {
  const { engines } = JSON.parse(read('package.json'))
  expect(read('README.md')).toContain(`You need Node ${String(engines.node).replace('>=', '')} or newer.`)
})
