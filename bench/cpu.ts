// CPU time inside workerd for one task. It is the time of a request with N repetitions minus that of a
// request with none, divided by N. The platform's own clock does not advance while code runs. The requests
// are therefore timed from outside, one at a time.

import { makeAnnexCResponse } from './annex-c-response.ts'
import { makeMdocPresentation } from './mdoc-presentation.ts'
import { type Line, median, openLine, timed } from './measure.ts'
import { makePresentations } from './presentations.ts'
import { type Report, rounded } from './report.ts'
import { makeStatusLists } from './status-lists.ts'
import type { TaskName } from './worker.ts'

const ROUNDS = 9
const ROUND_MS = 80
const WARM_UP_MS = 600

/** Compares QR pictures with both pairs of libraries, for each size. */
export async function benchQr(port: number, report: Report): Promise<void> {
  report.heading('A wallet request of 218 characters as PNG (milliseconds of CPU in workerd)')
  for (const size of [160, 320, 1024]) {
    const [ours, pair, qrcode] = await compare(port, { size }, [
      'qr/ours',
      'qr/qrcode-svg+upng-js',
      'qr/qrcode',
    ])
    report.line(`${size} px: ours ${show(ours)}, qrcode-svg + upng-js ${show(pair)}, qrcode ${show(qrcode)}`)
    report.target(`QR at ${size} against qrcode-svg + upng-js`, ratio(pair, ours), { least: 30 }, ' ×')
    report.target(`QR at ${size} against qrcode`, ratio(qrcode, ours), { least: 10 }, ' ×')
  }
}

/**
 * Compares SD-JWT VC with key binding and ten disclosures with the platform's signature checks and digests,
 * and with the most used library.
 */
export async function benchSdJwtVc(port: number, report: Report): Promise<void> {
  report.heading('SD-JWT VC + KB-JWT with 10 disclosures (milliseconds of CPU in workerd)')
  for (const [name, input] of Object.entries(await makePresentations())) {
    const [ours, library, floor] = await compare(port, input, [
      'sd-jwt-vc/ours',
      'sd-jwt-vc/@sd-jwt',
      'sd-jwt-vc/floor',
    ])
    report.line(
      `${name}: ours ${show(ours)}, @sd-jwt/sd-jwt-vc 0.19 ${show(library)}, ${input.signatures} ES256 verifications and 11 SHA-256 ${show(floor)}`,
    )
    const [slower, faster] = [ratio(ours, floor), ratio(library, ours)]
    if (input.presentations.length > 1) {
      // The targets apply to chains that repeat, as with all credentials of one issuer
      // (docs/decisions/speed.md).
      report.line(`${name}: ${rounded(slower)} × the floor, ${rounded(faster)} × faster than the library`)
      continue
    }
    report.target(`SD-JWT VC, ${name}, against the floor`, slower, { most: 2.2 }, ' ×')
    report.target(`SD-JWT VC, ${name}, against the library`, faster, { least: 1.8 }, ' ×')
  }
}

/** Compares a cached list with one signature check of the platform. */
export async function benchStatusLists(port: number, report: Report): Promise<void> {
  report.heading('A lookup in a Token Status List (milliseconds of CPU in workerd)')
  const { million } = await makeStatusLists()
  const [remembered, floor] = await compare(port, million, ['status-list/remembered', 'status-list/floor'])
  report.line(`a million entries, cached: ${show(remembered)}, one ES256 verification ${show(floor)}`)
  report.target('cached status list against one ES256', ratio(remembered, floor), { most: 2 }, ' ×')
}

/** Measures how fast hostile input is refused by a limit (src/limits.ts). */
export async function benchHostile(port: number, report: Report): Promise<void> {
  report.heading('Hostile input (milliseconds of CPU in workerd until it is refused)')
  const { bomb } = await makeStatusLists()
  const disclosures = { presentation: `e30.e30.AA~${'WyJzIiwieCIsMV0~'.repeat(10_000)}` }
  const deep = new Uint8Array(10_001).fill(0x81, 0, 10_000)
  const cbor = { presentation: Buffer.from(deep).toString('base64url') }
  const cases = [
    ['a status list that inflates to 64 MiB', 'status-list/bomb', bomb],
    ['10,000 disclosures', 'hostile/disclosures', disclosures],
    ['CBOR nested 10,000 deep', 'hostile/cbor', cbor],
  ] as const
  for (const [name, task, input] of cases) {
    const [refused] = await compare(port, input, [task])
    report.target(name, median(refused), { most: 50 }, ' ms')
  }
}

/** Compares an mdoc of four elements with its signatures and hashes alone and with the most used library. */
export async function benchMdoc(port: number, report: Report): Promise<void> {
  report.heading('mdoc with 4 elements, one a portrait of 3 KB (milliseconds of CPU in workerd)')
  const input = await makeMdocPresentation()
  const [ours, library, floor] = await compare(port, input, ['mdoc/ours', 'mdoc/@owf', 'mdoc/floor'])
  const proofs = `${input.signatures} ES256 verifications and ${input.hashed.length} SHA-256 ${show(floor)}`
  report.line(`ours ${show(ours)}, @owf/mdoc 0.6 ${show(library)}, ${proofs}`)
  report.target('mdoc against the floor', ratio(ours, floor), { most: 3 }, ' ×')
  report.target('mdoc against the library', ratio(library, ours), { least: 4 }, ' ×')
}

/** Compares a response of `org-iso-mdoc` with its cryptography alone. */
export async function benchAnnexC(port: number, report: Report): Promise<void> {
  report.heading('A response of org-iso-mdoc with the same elements (milliseconds of CPU in workerd)')
  const input = await makeAnnexCResponse()
  const [ours, floor] = await compare(port, input, ['annex-c/ours', 'annex-c/floor'])
  const proofs = `HPKE, ${input.signatures} ES256 verifications and ${input.hashed.length} SHA-256 ${show(floor)}`
  report.line(`opened and verified ${show(ours)}, ${proofs}`)
  report.target('org-iso-mdoc against its cryptography', ratio(ours, floor), { most: 5 }, ' ×')
}

/** Milliseconds of one task in each round. */
type Rounds = readonly number[]

/** Measures the tasks in rounds. Every round runs each task, so that a disturbance affects all of them. */
async function compare<const Names extends readonly TaskName[]>(
  port: number,
  input: object,
  tasks: Names,
): Promise<{ readonly [I in keyof Names]: Rounds }> {
  const line = await openLine(port)
  const counts: number[] = []
  for (const task of tasks) counts.push(await countFor(line, task, input))
  const rounds: number[][] = tasks.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, task] of tasks.entries()) {
      const n = counts[i] ?? 1
      const empty = await timed(() => run(line, task, input, 0))
      const full = await timed(() => run(line, task, input, n))
      rounds[i]?.push((full - empty) / n)
    }
  }
  line.close()
  return rounds as unknown as { readonly [I in keyof Names]: Rounds }
}

/** Warms up a task and returns how often it runs in the time of one round. */
async function countFor(line: Line, task: TaskName, input: object): Promise<number> {
  let n = 1
  let each = Number.POSITIVE_INFINITY
  for (const begun = performance.now(); performance.now() - begun < WARM_UP_MS; ) {
    const took = await timed(() => run(line, task, input, n))
    each = took / n
    n = Math.max(1, Math.round(ROUND_MS / each))
  }
  return n
}

async function run(line: Line, task: TaskName, input: object, n: number): Promise<void> {
  const body = JSON.stringify({ task, n, input })
  const { status } = await line.ask({ method: 'POST', path: '/tasks', body })
  if (status !== 204) throw new Error(`${task}: HTTP ${status}`)
}

/** Returns the median of the ratios of the rounds. */
function ratio(slower: Rounds, faster: Rounds): number {
  return median(slower.map((value, i) => value / (faster[i] ?? Number.NaN)))
}

function show(rounds: Rounds): string {
  return rounded(median(rounds))
}
