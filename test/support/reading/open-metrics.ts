// A strict parser of OpenMetrics 1.0 text, written from the specification only. Throws at the first broken
// rule. The error names the line.

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

/** Allowed suffixes of sample names, by the type of the family. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
}

/** Returns the metric families of an exposition. */
export function readOpenMetrics(text: string): readonly Family[] {
  if (!text.endsWith('\n# EOF\n')) throw new Error('does not end with # EOF')
  const families = new Map<string, OpenFamily>()
  let current: OpenFamily | undefined
  for (const line of text.split('\n').slice(0, -2)) {
    const [, keyword, name = '', rest = ''] = META.exec(line) ?? []
    if (keyword !== undefined && current?.name !== name) {
      if (families.has(name)) throw new Error(`a family appears twice: ${line}`)
      current = { name, type: '', unit: '', help: '', samples: [] }
      families.set(name, current)
    }
    if (current === undefined) throw new Error(`a sample without a family: ${line}`)
    if (keyword === undefined) current.samples.push(readSample(line, current))
    else describeFamily(current, keyword, rest, line)
  }
  for (const family of families.values()) checkFamily(family)
  return [...families.values()]
}

type OpenFamily = { name: string; type: string; unit: string; help: string; samples: Sample[] }

function describeFamily(family: OpenFamily, keyword: string, text: string, line: string): void {
  const member = ({ TYPE: 'type', UNIT: 'unit', HELP: 'help' } as const)[keyword] ?? 'help'
  if (family[member] !== '' || family.samples.length > 0)
    throw new Error(`metadata is repeated or late: ${line}`)
  family[member] = text
}

function readSample(line: string, family: OpenFamily): Sample {
  const match = SAMPLE.exec(line)
  if (match === null) throw new Error(`not a sample: ${line}`)
  const [, name = '', labelText = ''] = match
  const value = Number((match.at(-1) ?? '').replace('Inf', 'Infinity'))
  if (!SUFFIXES[family.type]?.some((suffix) => name === family.name + suffix)) {
    throw new Error(`not a sample of ${family.name}: ${line}`)
  }
  const pairs = [...labelText.matchAll(new RegExp(LABEL, 'g'))].map(([, label = '', text = '']) => [
    label,
    text,
  ])
  const labels = Object.fromEntries(pairs) as Record<string, string>
  if (Object.keys(labels).length !== pairs.length) throw new Error(`a repeated label: ${line}`)
  return { name, labels, value }
}

function checkFamily({ name, type, unit, samples }: OpenFamily): void {
  if (!(type in SUFFIXES)) throw new Error(`${name} has type ${type}`)
  if (unit !== '' && !name.endsWith(`_${unit}`)) throw new Error(`${name} does not end with its unit ${unit}`)
  const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]))
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a repeated sample`)
  if (type !== 'gauge' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is below 0`)
  if (type === 'histogram') checkHistogram(name, samples)
}

/** Checks that bounds and counts increase, and that the last bucket is `+Inf` with the value of `_count`. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
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
      throw new Error(`${name} is not a valid histogram`)
    }
    if (buckets.some(({ labels }) => !/^([0-9]+\.[0-9]+|\+Inf)$/.test(labels.le ?? ''))) {
      throw new Error(`${name} has a bound that is not a float`)
    }
  }
}
