// Counts of a run: requests by route and status, changes by kind and outcome, memory, and what was found.

import type { FuzzResponse } from './documented.ts'
import { isFlat, type Memory } from './memory.ts'
import type { FuzzRequest } from './requests.ts'
import { leastSuccessful, rarelySuccessful, requiredSuccesses, successesOf } from './successes.ts'

/** A broken rule, and the request that is sent again with `--seed` and `--only`. */
export type Finding = {
  /** `answer`: not documented. `content`: changed content counted, or good content did not. */
  readonly rule: 'answer' | 'content' | 'log'
  readonly index: number
  readonly error: string
  readonly request?: object | undefined
  readonly answer?: object | undefined
}

export type Summary = {
  readonly seed: number
  readonly requests: number
  readonly seconds: number
  /** Number of requests by route and status. */
  readonly routes: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Number of changed messages by kind and outcome. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Number of good responses that verified after changed responses. */
  readonly verified: number
  readonly memory: Memory
  /** Processor time in seconds, of the callers and of workerd. */
  readonly cpu: { readonly callers: number; readonly workerd: number }
  readonly findings: readonly Finding[]
}

type Counts = Record<string, Record<string, number>>

/** Findings of one kind that are kept with their request. */
const KEPT = 3

/** Counts requests as they are answered. */
export function openLedger(seed: number) {
  const routes: Counts = {}
  const changes: Counts = {}
  const findings: Finding[] = []
  const begun = Date.now()
  let requests = 0
  let verified = 0
  return {
    findings: findings as readonly Finding[],
    routes: routes as Summary['routes'],
    requests: () => requests,
    countAnswer({ route, method }: FuzzRequest, { status }: FuzzResponse) {
      requests++
      add(routes, route ?? `${method} of no route`, String(status))
    },
    countChange: (kind: string, outcome: string) => add(changes, kind, outcome),
    countVerified: () => {
      verified++
    },
    found(finding: Finding) {
      const like = findings.filter(({ error }) => error === finding.error)
      findings.push(like.length < KEPT ? finding : { ...finding, request: undefined, answer: undefined })
    },
    summary: (measures: Pick<Summary, 'memory' | 'cpu'>): Summary => ({
      seed,
      requests,
      seconds: Math.round((Date.now() - begun) / 1000),
      routes,
      changes,
      verified,
      ...measures,
      findings,
    }),
  }
}

export type Ledger = ReturnType<typeof openLedger>

function add(counts: Counts, name: string, value: string): void {
  counts[name] ??= {}
  const row = counts[name]
  row[value] = (row[value] ?? 0) + 1
}

/** Returns a request and its response as text that can be read. */
export function shown({ method, path, headers, body }: FuzzRequest, answer: FuzzResponse) {
  const text = typeof body === 'string' ? body : body && Buffer.from(body).toString('latin1')
  const { status, headers: answered } = answer
  return {
    request: { method, path, headers, ...(text !== undefined && { body: text.slice(0, 20_000) }) },
    answer: { status, type: answered['content-type'], body: answer.body.toString().slice(0, 1_000) },
  }
}

/** Returns the summary as tables of Markdown. */
export function tableOf(summary: Summary): string {
  const { requests, seconds, memory, cpu, verified, findings } = summary
  const all = Object.values(summary.routes)
  const least = leastSuccessful(summary.routes)
  const required = requiredSuccesses(requests)
  const rare = rarelySuccessful(summary.routes, required)
  return [
    '| | |',
    '|---|---|',
    `| requests | ${requests} in ${seconds} s |`,
    `| statuses | ${list(sums(all))} |`,
    `| processor time in seconds | callers ${cpu.callers}, workerd ${cpu.workerd} |`,
    `| good responses after changed ones | ${verified} verified |`,
    `| memory of workerd, MiB | second quarter ${memory.second_quarter}, last quarter ${memory.last_quarter}, most ${memory.most} |`,
    `| memory flat | ${isFlat(memory) ? 'yes' : 'NO'} |`,
    `| fewest successes (2xx, 3xx, 101) of an operation | ${least.successes}: \`${least.route}\` |`,
    `| operations with fewer than ${required} successes | ${rare.length === 0 ? '0' : rare.join(', ')} |`,
    `| findings | ${findings.length} |`,
    '',
    '| route | successes | requests by status |',
    '|---|---|---|',
    ...rowsOf(summary.routes, (statuses) => ` ${successesOf(statuses)} |`),
    '',
    '| change | outcomes |',
    '|---|---|',
    ...rowsOf(summary.changes),
  ].join('\n')
}

function rowsOf(
  counts: Summary['routes'],
  column: (row: Readonly<Record<string, number>>) => string = () => '',
): readonly string[] {
  return Object.keys(counts)
    .sort()
    .map((name) => `| \`${name}\` |${column(counts[name] ?? {})} ${list(counts[name] ?? {})} |`)
}

function sums(rows: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Counts = { all: {} }
  for (const row of rows) {
    for (const [name, count] of Object.entries(row)) {
      const { all = {} } = total
      all[name] = (all[name] ?? 0) + count
    }
  }
  return total.all ?? {}
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
