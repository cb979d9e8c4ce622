// docs/asvs.md, docs/privacy-and-threats.md, docs/proof.md and docs/cryptography.md: every test that they
// cite exists, and so does every command. No requirement of the ASVS and no claim of the README is missing.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proofSteps } from '../scripts/service/proof-steps.mjs'
import { SIGNATURE_ALGORITHMS } from '../src/crypto/algorithms.ts'
import { CONTENT_ENCRYPTIONS } from '../src/openid4vp/response/response-encryption.ts'
import { errorOf, rowsOf } from './support/reading/citations.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

/** Returns the part of a page from a heading to the next one of its level. */
function section(page: string, heading: string): string {
  const [, rest = ''] = page.split(`\n${heading}\n`)
  const [level = ''] = /^#+/.exec(heading) ?? []
  return rest.split(new RegExp(`\n${level} `))[0] ?? ''
}

/** Errors of a cell of citations, separated by `<br>`. */
function citedErrors(place: string, cell: string): readonly string[] {
  return cell
    .split('<br>')
    .map((reference) => errorOf(reference.trim()))
    .flatMap((error) => (error === undefined ? [] : [`${place}: ${error}`]))
}

describe('docs/asvs.md', () => {
  const { levels } = JSON.parse(read('test/vectors/asvs-5.0.json')) as { levels: Record<string, string[]> }
  const levelOf = new Map(
    Object.entries(levels).flatMap(([level, numbers]) => numbers.map((number) => [number, level] as const)),
  )

  function errorsOf(page: string): readonly string[] {
    const rows = rowsOf(page, 'number', 'state', 'level').filter(([number = '']) => number.includes('.'))
    const given = rows.map(([number = '']) => number)
    const missing = [...levelOf.keys()].filter((number) => !given.includes(number))
    const repeated = given.filter((number, i) => given.indexOf(number) !== i)
    return [
      ...missing.map((number) => `${number}: missing`),
      ...repeated.map((number) => `${number}: repeated`),
      ...rows.flatMap(rowErrors),
    ]
  }

  function rowErrors(row: readonly string[]): readonly string[] {
    const [number = '', level, about = '', state = '', where = '', shown = ''] = row
    if (row.length !== 6 || about === '' || where === '') return [`${number}: not a row of six`]
    if (levelOf.get(number) !== level) return [`${number}: not of level ${level}`]
    if (state === 'met') {
      const isPlaced = /`(src|assets|scripts|tsconfig)[\w./-]*`|\]\(/.test(where)
      return isPlaced ? citedErrors(number, shown) : [`${number}: names no place`]
    }
    const isKnown = state === 'not met' || state === 'does not apply'
    return isKnown && shown === '–' ? [] : [`${number}: ${state} with ${shown}`]
  }

  const page = read('docs/asvs.md')

  it('has each requirement of level 1 and 2 once, and each that is met cites a test', () => {
    expect(errorsOf(page)).toEqual([])
  })

  it('counts its rows', () => {
    const rows = rowsOf(page, 'number').filter(([number = '']) => number.includes('.'))
    const count = (level: string, state: string) =>
      String(rows.filter((row) => row[1] === level && row[3] === state).length)
    for (const level of ['1', '2']) {
      const states = ['met', 'does not apply', 'not met'].map((state) => count(level, state))
      expect(page).toContain(`| ${[level, ...states].join(' | ')} |`)
    }
  })

  it.each([
    ['| 1.2.1 | 1 | x | does not apply | y | – |', '1.2.1: repeated'],
    ['| 99.1.1 | 1 | x | does not apply | y | – |', '99.1.1: not of level 1'],
    ['| 99.1.1 | 1 | x | y |', '99.1.1: not a row of six'],
  ])('reports %s', (row, error) => {
    expect(errorsOf(`${page}\n${row}`)).toEqual([error])
  })

  it.each([
    ['met', '`src/x.ts`', '`codec/json.test.ts` › no such title', 'has no test'],
    ['met', 'somewhere', '`codec/json.test.ts` › parseJson', 'names no place'],
    ['not met', 'why', '`codec/json.test.ts` › parseJson', 'not met with'],
    ['perhaps', 'why', '–', 'perhaps with –'],
  ])('reports a row that is %s by %s', (state, where, shown, error) => {
    const without = page.replace(/^\| 1\.2\.1 .*$/m, `| 1.2.1 | 1 | x | ${state} | ${where} | ${shown} |`)
    expect(errorsOf(without)).toEqual([expect.stringContaining(error)])
  })
})

describe('docs/privacy-and-threats.md', () => {
  const threats = section(read('docs/privacy-and-threats.md'), '## Threats')

  function errorsOf(text: string): readonly string[] {
    return rowsOf(text, 'threat').flatMap((row) => {
      const [threat = '', actor = '', held = '', shown = ''] = row
      if (row.length !== 4 || actor === '' || held === '') return [`${threat}: not a row of four`]
      return citedErrors(threat, shown)
    })
  }

  it('cites a test for each threat', () => {
    expect(rowsOf(threats, 'threat').length).toBeGreaterThan(40)
    expect(errorsOf(threats)).toEqual([])
  })

  it.each([
    ['| a threat | anyone | nothing | – |', 'a threat: no test in “–”'],
    ['| a threat | anyone | `codec/json.test.ts` › parseJson |', 'a threat: not a row of four'],
  ])('reports %s', (row, error) => {
    expect(errorsOf(`${threats}\n${row}`)).toEqual([error])
  })
})

describe('SECURITY.md', () => {
  const dependencies = section(read('SECURITY.md'), '## Dependencies')

  it('has a time to update for each kind of dependency', () => {
    const times = rowsOf(dependencies, 'when')
    expect(times.length).toBeGreaterThan(3)
    for (const [, time] of times) expect(time).toMatch(/^\d+ (working days|days|months)$/)
  })

  it('counts the packages of the service', () => {
    const { dependencies: packages } = JSON.parse(read('package.json'))
    expect(dependencies).toContain('Five packages are part of the service')
    expect(Object.keys(packages)).toHaveLength(5)
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
  const readme = read('README.md')
  const claims = rowsOf(section(page, '## The claims'), 'claim')

  it('quotes each claim from the README, with a command or a page that shows it', () => {
    const errors = claims.flatMap(([claim = '', shown = '', ...rest]) => [
      ...(rest.length === 1 ? [] : [`${claim}: not a row of three`]),
      ...(proseOf(readme).includes(quoted(claim)) ? [] : [`${claim}: not in the README`]),
      ...(/`npm /.test(shown) ? [] : [`${claim}: no command`]),
      ...citations(shown).flatMap((cell) => citedErrors(claim, cell)),
    ])
    expect(errors).toEqual([])
  })

  function unproven(text: string): readonly string[] {
    const quotes = claims.map(([claim = '']) => quoted(claim))
    return sentencesOf(text).filter(
      (sentence) =>
        !quotes.some((quote) => sentence.includes(quote) || quote.includes(sentence)) &&
        !INSTRUCTIONS.some((instruction) => sentence.startsWith(instruction)),
    )
  }

  /** Returns the cells of tables that have a number outside of code and of addresses. */
  function unprovenNumbers(text: string): readonly string[] {
    const quotes = claims.map(([claim = '']) => quoted(claim))
    const cells = [...text.matchAll(/^\|(.+)\|$/gm)].flatMap(([, row = '']) => row.split(' | '))
    return cells
      .map((cell) => cell.trim())
      .filter((cell) => NUMBER.test(cell.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']')))
      .filter((cell) => !quotes.some((quote) => cell.includes(quote)))
  }

  it('has every sentence of the README that claims something', () => {
    expect(unproven(readme)).toEqual([])
    expect(unproven(`${readme}\nIt is the fastest of all.\n\n- Nobody is slower.\n`)).toEqual([
      'It is the fastest of all.',
      'Nobody is slower.',
    ])
  })

  it('leaves no number in the tables of the README without a claim', () => {
    expect(unprovenNumbers(readme)).toEqual([])
    expect(unprovenNumbers(`${readme}\n| \`npm run x -- 9\` | takes 2 min in three ways |\n`)).toEqual([
      'takes 2 min in three ways',
    ])
  })

  it('has a README that asks for the Node of package.json', () => {
    const { engines } = JSON.parse(read('package.json'))
    expect(readme).toContain(`You need Node ${String(engines.node).replace('>=', '')} or newer.`)
  })

  it('names commands of package.json only', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const names = [...page.matchAll(/\bnpm (?:run )?([a-z:]+)/g)].map(([, name]) => String(name))
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => name !== 'ci' && !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('names in its steps each step of the command, in order', () => {
    const steps = rowsOf(page.split('\n## ')[0] ?? '', 'step')
    const named = steps.map(([step = '']) => /npm (?:run )?([a-z]+)/.exec(step)?.[1])
    expect(named).toEqual(proofSteps({ small: false }).map(({ args }) => args[args[0] === 'run' ? 1 : 0]))
  })

  it('cites a test for each mistake that a run found', () => {
    const found = rowsOf(section(page, '## What runs found'), 'run')
    expect(found.length).toBeGreaterThan(5)
    expect(
      found.flatMap(([run = '', what = '', shown = '']) => citedErrors(`${run}: ${what}`, shown)),
    ).toEqual([])
  })

  it('has the counts of docs/asvs.md', () => {
    const rows = rowsOf(read('docs/asvs.md'), 'number').filter(([number = '']) => number.includes('.'))
    const count = (state: string) => rows.filter((row) => row[3] === state).length
    expect(page).toContain(
      `${count('met')} of ${rows.length} requirements met, ${count('does not apply')} do not apply, ${count('not met')} not met`,
    )
  })
})

const NUMBER = /\b(\d|(two|three|four|five|six|seven|eight|nine|ten|hundreds?|thousands?|millions?)\b)/

/** Beginnings of sentences of the README that claim nothing. */
const INSTRUCTIONS = [
  'You need Node',
  'While `npm start` runs',
  'Open `session_url`',
  'Three rules',
  'Report weaknesses',
  'Apache License',
]

/** Returns a page as one line of prose: without code blocks, tables, headings, pictures and link targets. */
function proseOf(page: string): string {
  return page
    .replace(/^```.*?^```$/gms, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^#.*$/gm, '')
    .replace(/\s+/g, ' ')
}

/** Returns the sentences of the README outside of tables. */
function sentencesOf(page: string): readonly string[] {
  const withoutTables = page.replace(/^\|.*$/gm, '').replace(/^- /gm, '')
  return proseOf(withoutTables)
    .split(/(?<=[.:]) (?=[A-Z`])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}

/** Returns the text between quotation marks of a claim. */
function quoted(claim: string): string {
  return /“(.+)”/.exec(claim)?.[1] ?? claim
}

/** Returns the parts of a cell that cite tests. */
function citations(shown: string): readonly string[] {
  return shown.split('<br>').filter((part) => part.includes('.test.ts` › '))
}
