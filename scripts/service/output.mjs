// Output of workerd. It is delayed while the service starts, so that no log line is printed between the texts
// of the start. A start that fails prints only its reason.

/** Largest number of delayed bytes. Further output is printed at once. */
const HELD_BYTES = 262_144
/** A log line of level `info` (src/metrics/log-line.ts). */
const INFO = /^\{"time":"[^"]*","level":"info",/

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
    if (withoutInfo)
      for (const stream of new Set([stdout, stderr])) stream.write(withoutInfoLines(textOf(stream)))
    else for (const { stream, chunk } of held ?? []) stream.write(chunk)
    held = undefined
  }
  /** A chunk may end within a line, and within a character. */
  const textOf = (stream) =>
    Buffer.concat((held ?? []).filter((one) => one.stream === stream).map((one) => one.chunk)).toString()
  const pass = (stream) => (chunk) => {
    if (held === undefined) return stream.write(chunk)
    held.push({ stream, chunk })
    bytes += chunk.length
    if (bytes > HELD_BYTES) release()
  }
  return {
    attach(child) {
      child.stdout.on('data', pass(stdout))
      child.stderr.on('data', pass(stderr))
    },
    release,
    discard() {
      held &&= []
    },
  }
}

function withoutInfoLines(text) {
  const lines = text.split(/(?<=\n)/)
  return lines.filter((line) => !INFO.test(line)).join('')
}
