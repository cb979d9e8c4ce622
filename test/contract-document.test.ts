// docs/api/errors.md lists every code that a route can return, and no other. The tests compare its tables
// with the catalogues in src.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import errors from '../assets/oauth-errors.json' with { type: 'json' }
import { PROBLEMS } from '../src/routes/edge/problems.ts'
import { WALLET_ERRORS } from '../src/routes/wallet/wallet-errors.ts'

const ERRORS = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../docs/api/errors.md'), 'utf8')

/**
 * Returns `<status> <code>` of every code in one column of the table below a heading, in order. Column 0 has
 * the statuses.
 */
function promised(heading: string, column: number): readonly string[] {
  const table = ERRORS.slice(ERRORS.indexOf(heading)).split('\n\n')[0] ?? ''
  const rows = table.split('\n').filter((line) => /^\| [0-9]{3}\b/.test(line))
  return rows.flatMap((row) => {
    // Texts in brackets explain and may name other codes.
    const cells = row.split('|').map((cell) => cell.replace(/\([^)]*\)/g, ''))
    const statuses = (cells[1] ?? '').match(/\d{3}/g) ?? []
    const codes = [...(cells[column + 1] ?? '').matchAll(/`(\w+)`/g)]
    return statuses.flatMap((status) => codes.map(([, code]) => `${status} ${code}`))
  })
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort()
}

const oauth = (errors: object) =>
  unique(
    Object.values(errors).map(({ status, error }: { status: number; error: string }) => `${status} ${error}`),
  )

describe('docs/api/errors.md', () => {
  it('lists exactly the problem codes of the service, each with its status', () => {
    const codes = Object.entries(PROBLEMS).map(([code, { status }]) => `${status} ${code}`)
    expect(unique(promised('| status | code |', 1))).toEqual(unique(codes))
  })

  it('lists exactly the errors that a wallet can get, each with its status', () => {
    expect(unique(promised('| status | wallet |', 1))).toEqual(oauth(WALLET_ERRORS))
  })

  it('lists exactly the errors of the token endpoint, each with its status', () => {
    expect(unique(promised('| status | wallet |', 2))).toEqual(oauth(errors.token))
  })
})
