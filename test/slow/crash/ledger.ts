// The ledger of a run: the responses to callers, the receipts of the receiver, and what the service has
// afterwards.

import { type Findings, findingsOf } from './findings.ts'
import type { Run } from './run.ts'

export type Ledger = {
  readonly kills: Readonly<Record<string, number>>
  readonly lives: Readonly<Record<string, number>>
  /** Runs without a life that this machine cannot show. */
  readonly livesLeftOut: Readonly<Record<string, number>>
  /** Files that workerd could not open for want of descriptors, and its ends for want of them. */
  readonly refusedFiles: number
  readonly endsWithoutDescriptors: number
  /** Requests of callers that a kill broke off. */
  readonly brokenOff: number
  /** Outcomes that a caller got, and sessions that expired. */
  readonly acknowledged: number
  readonly expired: number
  readonly ends: Readonly<Record<string, number>>
  readonly ways: Readonly<Record<string, number>>
  /** POSTs to the receiver, and those it accepted. */
  readonly sent: number
  readonly delivered: number
  /** Sessions whose outcome the service returns, and events in its log. */
  readonly stored: number
  readonly logged: number
  /** Sessions that the list of verifications has with their status. */
  readonly listed: number
  /** Sessions whose evidence was fetched and opened afterwards, and those whose evidence was erased. */
  readonly proven: number
  readonly evidenceErased: number
  /** Sessions that were deleted, those with a `DELETE` that was cut off, and those that lost their key. */
  readonly deleted: number
  readonly deletionsCutOff: number
  readonly keysLost: number
  /** Number of broken rules of each kind. */
  readonly findings: Readonly<Record<keyof Findings, number>>
}

/** Counts a run. */
export function ledgerOf(run: Run): Ledger {
  const { sessions, receipts, answers, sealed, logged, listed, deleted, kills, leftOut, brokenOff } = run
  const accepted = receipts.filter(({ accepted }) => accepted)
  const expired = sessions.filter(({ end }) => end === 'expired').length
  return {
    kills: countsOf(kills.map(({ kill }) => kill)),
    lives: countsOf(kills.map(({ life }) => life)),
    livesLeftOut: countsOf(leftOut),
    refusedFiles: sumOf(kills.map(({ refused }) => refused)),
    endsWithoutDescriptors: sumOf(kills.map(({ ended }) => ended)),
    brokenOff,
    acknowledged: sessions.length - expired,
    expired,
    ends: countsOf(sessions.map(({ end }) => end)),
    ways: countsOf(sessions.flatMap(({ way }) => way ?? [])),
    sent: receipts.length,
    delivered: new Set(accepted.map(({ eventId }) => eventId)).size,
    stored: sessions.filter(({ verificationId, end }) => answers.get(verificationId)?.status === end).length,
    logged: new Set(logged).size,
    listed: sessions.filter(({ verificationId: id, end }) =>
      listed.some(({ verification_id, status }) => verification_id === id && status === end),
    ).length,
    proven: [...sealed.values()].filter(({ digest }) => digest !== null).length,
    evidenceErased: sessions.filter(({ evidence }) => evidence === 'erased').length,
    deleted: deleted.length,
    deletionsCutOff: deleted.filter(({ tries }) => tries > 1).length,
    keysLost: deleted.filter(({ recreated }) => recreated === 201).length,
    findings: mapValues(findingsOf(run), (found) => found.length),
  }
}

/** Adds two ledgers. */
export function addLedgers(one: Ledger, other: Ledger): Ledger {
  return addTo(one, other) as Ledger
}

/** Number of broken rules. */
export function faultsIn({ findings }: Ledger): number {
  return sumOf(Object.values(findings))
}

/** Returns the ledger as a table of Markdown. */
export function tableOf(ledger: Ledger): string {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  const kills = sumOf(Object.values(ledger.kills))
  const leftOut = list(ledger.livesLeftOut)
  const rows = [
    ['kills', `${kills} (${list(ledger.kills)})`],
    ['lives after them', list(ledger.lives)],
    ['lives left out', leftOut === '' ? 'none' : `${leftOut}: no C compiler (cc)`],
    ['files not opened for want of descriptors', ledger.refusedFiles],
    ['ends of workerd for want of descriptors', ledger.endsWithoutDescriptors],
    ['requests of callers cut off', ledger.brokenOff],
    ['outcomes acknowledged', `${ledger.acknowledged} (${list(ledger.ways)})`],
    ['sessions that expired', ledger.expired],
    ['POSTs sent', ledger.sent],
    ['events delivered', ledger.delivered],
    ['outcomes stored', ledger.stored],
    ['events in the log', ledger.logged],
    ['verifications in the list', ledger.listed],
    ['evidence opened', ledger.proven],
    ['evidence erased', ledger.evidenceErased],
    ['sessions deleted', ledger.deleted],
    ['sessions whose DELETE was cut off', ledger.deletionsCutOff],
    ['of these, Idempotency-Keys lost', ledger.keysLost],
    ['broken rules', `${faultsIn(ledger)} (${list(ledger.findings)})`],
  ]
  return ['| ledger | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n')
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

function countsOf(names: readonly string[]): Readonly<Record<string, number>> {
  return mapValues(Object.fromEntries(Map.groupBy(names, (name) => name)), (all) => all.length)
}

function mapValues<Key extends string, Value, Other>(
  record: Readonly<Record<Key, Value>>,
  to: (value: Value) => Other,
): Readonly<Record<Key, Other>> {
  const entries = Object.entries(record) as [Key, Value][]
  return Object.fromEntries(entries.map(([key, value]) => [key, to(value)])) as Record<Key, Other>
}

type Counts = number | { readonly [name: string]: Counts }

function addTo(one: Counts, other: Counts): Counts {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) + Number(other)
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, addTo(one[name] ?? 0, other[name] ?? 0)]))
}
