// Output of the bench: the machine, lines of numbers, and the result of each target.

import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'

export type Report = {
  readonly heading: (text: string) => void
  readonly line: (text: string) => void
  /** Prints a number with a target: `least` or `most`. */
  readonly target: (
    name: string,
    value: number,
    wanted: { least: number } | { most: number },
    unit?: string,
  ) => void
  /** Prints the missed targets. Returns `true` without any. */
  readonly end: () => boolean
}

export function startReport(): Report {
  const missed: string[] = []
  return {
    heading: (text) => console.log(`\n${text}`),
    line: (text) => console.log(`  ${text}`),
    target: (name, value, wanted, unit = '') => {
      const isMet = 'least' in wanted ? value >= wanted.least : value <= wanted.most
      const bound = 'least' in wanted ? `at least ${wanted.least}` : `at most ${wanted.most}`
      const text = `${name}: ${rounded(value)}${unit} (${bound}${unit})`
      console.log(`  ${isMet ? 'met   ' : 'MISSED'}  ${text}`)
      if (!isMet) missed.push(text)
    },
    end: () => {
      console.log(missed.length === 0 ? '\nEvery target was met.' : `\nMissed:\n  ${missed.join('\n  ')}`)
      return missed.length === 0
    },
  }
}

/** Returns lines with machine, system, filesystem of `directory`, and date. */
export function describeMachine(directory: string): readonly string[] {
  const processors = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${type()} ${release()}`,
    `${filesystemOf(directory)} under STATE_DIR, Node ${process.versions.node}`,
    new Date().toISOString(),
  ]
}

/** Formats a number with three significant digits. */
export function rounded(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}

function filesystemOf(directory: string): string {
  try {
    const [, fields = ''] = execFileSync('df', ['-T', directory], { encoding: 'utf8' }).split('\n')
    return fields.split(/\s+/)[1] ?? 'unknown filesystem'
  } catch {
    return 'unknown filesystem'
  }
}
