// Output of workerd. It is delayed while the service starts, so that no log line is printed between the texts
// of the start. A start that fails prints only its reason.

/** Largest number of delayed bytes. Further output is printed at once. */
const HELD_BYTES = 262_144
/** A log line of level `info` (src/metrics/log-line.ts). */
const INFO = /^\{"time":"[^"]*","level":"info",/
const NEWLINE = 0x0a

/**
 * Returns `attach(child)`, `release()` and `discard()`. A released output is passed on at once.
 * `release({ withoutInfo: true })` drops the held lines of level `info`: the start has caused them itself.
 *
 * @param {Record<'stdout' | 'stderr', NodeJS.WritableStream>} streams where released output goes
 */
export function holdOutput({ stdout, stderr } = process) {
  let held = []
  let bytes = 0
  const release = ({ withoutInfo = false } = {}) => {
    const all = held ?? []
    held = undefined
    if (!withoutInfo) for (const { source, chunk } of all) source.to.write(chunk)
    else
      for (const source of new Set(all.map((one) => one.source)))
        printWithoutInfo(source, chunksOf(source, all))
  }
  const hold = (from, to) => {
    const source = { from, to, begun: Buffer.alloc(0) }
    from.on('data', (chunk) => {
      if (held === undefined) return print(source, chunk)
      held.push({ source, chunk })
      bytes += chunk.length
      if (bytes > HELD_BYTES) release()
    })
    from.on('end', () => to.write(source.begun))
  }
  return {
    attach(child) {
      hold(child.stdout, stdout)
      hold(child.stderr, stderr)
    },
    release,
    discard() {
      held &&= []
    },
  }
}

function chunksOf(source, all) {
  return Buffer.concat(all.filter((one) => one.source === source).map(({ chunk }) => chunk))
}

/**
 * Prints held bytes without lines of level `info`. They may end within a line, and within a character: then
 * the rest of the line is awaited.
 */
function printWithoutInfo(source, bytes) {
  const end = source.from.readableEnded ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
  const lines = bytes.toString('utf8', 0, end).split(/(?<=\n)/)
  source.to.write(lines.filter((line) => !INFO.test(line)).join(''))
  source.begun = bytes.subarray(end)
}

/** Prints a chunk. Drops the line that began before the release, if its level is `info`. */
function print(source, chunk) {
  if (source.begun.length === 0) return source.to.write(chunk)
  const bytes = Buffer.concat([source.begun, chunk])
  const end = bytes.indexOf(NEWLINE) + 1
  const isAwaited = end === 0 && bytes.length <= HELD_BYTES
  source.begun = isAwaited ? bytes : Buffer.alloc(0)
  if (!isAwaited) source.to.write(INFO.test(bytes.toString()) ? bytes.subarray(end) : bytes)
}
