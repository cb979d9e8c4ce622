import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EVENTS, type EventKind } from '../../src/metrics/events.ts'

const PAGE = readFileSync('docs/operating.md', 'utf8')

it('docs/operating.md lists every counted event, and its labels in the order of their columns', () => {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  const rows = Object.entries(EVENTS).map(([name, { labels, timedBy = [] }]: [string, EventKind]) =>
    `| \`${name}\` | ${code(labels)} | ${code(timedBy)} |`.replace('|  |', '| |'),
  )
  const [, table = ''] = /^\| event \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(PAGE) ?? []
  expect(table.trimEnd().split('\n')).toEqual(rows)
})

it('docs/operating.md has queries that use the right columns of counted events in Analytics Engine', () => {
  const queries = [...PAGE.matchAll(/SELECT[\s\S]*?(?=\n\n|\n```)/g)].map(([query]) => query)
  expect(queries).toHaveLength(4)
  for (const query of queries) {
    const [, name = ''] = /index1 = '(\w+)'/.exec(query) ?? []
    const { labels } = (EVENTS as Readonly<Record<string, EventKind>>)[name] ?? { labels: [] }
    const columns = [...query.matchAll(/\bblob(\d+) AS (\w+)/g)]
    expect(columns.length).toBeGreaterThan(0)
    for (const [, column, label] of columns) expect(labels[Number(column) - 2]).toBe(label)
  }
})
