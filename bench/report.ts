// What the bench prints: where it ran, lines of numbers, and for each target whether it was met.

import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'

export type Report = {
  readonly heading: (text: string) => void
  readonly line: (text: string) => void
  /** A number with a target: `least` or `most`. */
  readonly target: (
    name: string,
    value: number,
    wanted: { least: number } | { most: number },
    unit?: string,
  ) => void
  /** Prints what was missed. True when nothing was. */
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

/** Machine, system, filesystem of `directory`, date. */
export function describeMachine(directory: string): readonly string[] {
  const processors = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${type()} ${release()}`,
    `${filesystemOf(directory)} under STATE_DIR, Node ${process.versions.node}`,
    new Date().toISOString(),
  ]
}

/** Three digits that matter. */
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
