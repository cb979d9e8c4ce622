// A strict reader of OpenMetrics 1.0 text, written from the specification's grammar and rules alone. What breaks one throws, with the line.

export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}
export type Family = {
  readonly name: string
  readonly type: string
  readonly unit: string
  readonly samples: readonly Sample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"'
const META = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.+)$`)
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{((?:${LABEL}(?:,(?!\\})|(?=\\})))*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|\\+Inf|-Inf|NaN)$`,
)

/** What a sample of each type may be called, behind the family's name. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
}

/** The metric families of a whole exposition. */
export function readOpenMetrics(text: string): readonly Family[] {
  if (!text.endsWith('\n# EOF\n')) throw new Error('does not end with # EOF')
  const families = new Map<string, Open>()
  let current: Open | undefined
  for (const line of text.split('\n').slice(0, -2)) {
    const [, keyword, name = '', rest = ''] = META.exec(line) ?? []
    if (keyword !== undefined && current?.name !== name) {
      if (families.has(name)) throw new Error(`comes back to a family: ${line}`)
      current = { name, type: '', unit: '', help: '', samples: [] }
      families.set(name, current)
    }
    if (current === undefined) throw new Error(`a sample without a family: ${line}`)
    if (keyword === undefined) current.samples.push(readSample(line, current))
    else describeFamily(current, keyword, rest, line)
  }
  for (const family of families.values()) judge(family)
  return [...families.values()]
}

type Open = { name: string; type: string; unit: string; help: string; samples: Sample[] }

function describeFamily(family: Open, keyword: string, text: string, line: string): void {
  const member = ({ TYPE: 'type', UNIT: 'unit', HELP: 'help' } as const)[keyword] ?? 'help'
  if (family[member] !== '' || family.samples.length > 0) throw new Error(`said twice, or late: ${line}`)
  family[member] = text
}

function readSample(line: string, family: Open): Sample {
  const found = SAMPLE.exec(line)
  if (found === null) throw new Error(`no sample: ${line}`)
  const [, name = '', labelText = ''] = found
  const value = Number((found.at(-1) ?? '').replace('Inf', 'Infinity'))
  if (!SUFFIXES[family.type]?.some((suffix) => name === family.name + suffix)) {
    throw new Error(`no sample of ${family.name}: ${line}`)
  }
  const pairs = [...labelText.matchAll(new RegExp(LABEL, 'g'))].map(([, label = '', text = '']) => [
    label,
    text,
  ])
  const labels = Object.fromEntries(pairs) as Record<string, string>
  if (Object.keys(labels).length !== pairs.length) throw new Error(`a label twice: ${line}`)
  return { name, labels, value }
}

function judge({ name, type, unit, samples }: Open): void {
  if (!(type in SUFFIXES)) throw new Error(`${name} has type ${type}`)
  if (unit !== '' && !name.endsWith(`_${unit}`)) throw new Error(`${name} does not end with its unit ${unit}`)
  const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]))
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a sample twice`)
  if (type !== 'gauge' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is below 0`)
  if (type === 'histogram') judgeHistogram(name, samples)
}

/** Buckets rise in bound and in count; the last is +Inf and holds as many as `_count`. */
function judgeHistogram(name: string, samples: readonly Sample[]): void {
  const byLabels = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const group of byLabels.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')))
    const rises = (values: readonly number[], strictly: boolean) =>
      values.every((value, i) => i === 0 || value > values[i - 1]! || (!strictly && value === values[i - 1]))
    const count = group.find((sample) => sample.name === `${name}_count`)?.value
    const isWhole = bounds.at(-1) === Infinity && buckets.at(-1)?.value === count
    if (
      !isWhole ||
      !rises(bounds, true) ||
      !rises(
        buckets.map(({ value }) => value),
        false,
      )
    ) {
      throw new Error(`${name} is no histogram`)
    }
    if (buckets.some(({ labels }) => !/^([0-9]+\.[0-9]+|\+Inf)$/.test(labels.le ?? ''))) {
      throw new Error(`${name} has a bound that is no float`)
    }
  }
}
