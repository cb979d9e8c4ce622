// Reads the text of `/metrics` (OpenMetrics 1.0).

/** One sample, such as `sessions_total{mode="live"} 12`. */
export type Sample = {
  readonly name: string
  readonly labels: readonly (readonly [string, string])[]
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Returns the samples, and the help of each family. A line that cannot be read is left out. */
export function readMetrics(text: string): {
  readonly samples: readonly Sample[]
  readonly help: ReadonlyMap<string, string>
} {
  const samples: Sample[] = []
  const help = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, family, words] = /^# HELP (\S+) (.*)$/.exec(line) ?? []
    if (family !== undefined && words !== undefined) help.set(family, words)
    const [, name, labels = '', value] = line.startsWith('#') ? [] : (LINE.exec(line) ?? [])
    if (name === undefined || value === undefined) continue
    const pairs = [...labels.matchAll(LABEL)].map(
      ([, label = '', text = '']) => [label, unescaped(text)] as const,
    )
    samples.push({ name, labels: pairs, value: Number(value) })
  }
  return { samples, help }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
}
