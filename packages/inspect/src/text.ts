// The report as text for a terminal.

import type { Check, Outcome, Part, Report } from './report.ts'

const WORDS = { holds: 'holds', fails: 'FAILS', not_checked: 'not checked' } as const

/** Returns the report as text. */
export function showText({ title, parts, outcome }: Report): string {
  const shown = parts.map(partText).join('\n\n')
  return `${title}\n\n${outcome === null ? '' : `${outcomeText(outcome)}\n\n`}${shown}\n`
}

function outcomeText({
  status,
  is_conditional,
  reason,
  message,
  clause,
  steps,
  assumptions,
}: Outcome): string {
  const lines = [
    `Outcome: ${status}${is_conditional ? ' under assumptions' : ''}${reason === null ? '' : `, ${reason}`}`,
    `  ${message}${clause === null ? '' : ` (${clause})`}`,
    ...steps.map(({ id, result, clause: of }) => `  ${result.padEnd(5)} ${id} (${of})`),
    ...assumptions.map((assumption) => `  Assumed: ${assumption}`),
  ]
  return lines.join('\n')
}

function partText({ title, clause, checks, rows }: Part): string {
  const width = Math.min(Math.max(...rows.map(({ name }) => name.length), 0), 40)
  const lines = rows.map(({ name, value, meaning, clause: of }) => {
    const more =
      meaning === null ? '' : `\n  ${' '.repeat(width)}    ${meaning}${of === null ? '' : ` (${of})`}`
    return `  ${name.padEnd(width)}  ${value}${more}`
  })
  return [`${title}${clause === null ? '' : ` (${clause})`}`, ...checks.map(checkText), ...lines].join('\n')
}

function checkText({ name, result, detail, clause }: Check): string {
  return `  [${WORDS[result]}] ${name}: ${detail}${clause === null ? '' : ` (${clause})`}`
}

/**
 * Returns the exit status of the command: 1 if a check fails or the outcome is not `verified`, else 0. A part
 * that was not checked does not change it.
 */
export function exitStatus({ parts, outcome }: Report): 0 | 1 {
  if (outcome !== null && outcome.status !== 'verified') return 1
  return parts.some(({ checks }) => checks.some(({ result }) => result === 'fails')) ? 1 : 0
}
