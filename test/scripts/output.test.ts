// The output of workerd is held back while the service starts.

import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { holdOutput } from '../../scripts/service/output.mjs'

const INFO = '{"time":"2026-11-23T00:00:00.000Z","level":"info","event":"request"}\n'
const ERROR = '{"time":"2026-11-23T00:00:00.000Z","level":"error","event":"fault"}\n'

/** Holds the output of a process, and collects what is passed on. */
function held() {
  const child = { stdout: new PassThrough(), stderr: new PassThrough() }
  const printed = new PassThrough()
  const output = holdOutput({ stdout: printed, stderr: printed })
  output.attach(child)
  let text = ''
  printed.on('data', (chunk) => {
    text += chunk
  })
  return { child, output, printed: () => text }
}

it('the output of workerd is delayed until the start has ended, and then printed at once', () => {
  const { child, output, printed } = held()
  child.stdout.write(INFO)
  child.stderr.write(ERROR)
  expect(printed()).toBe('')
  output.release()
  expect(printed()).toBe(INFO + ERROR)
  child.stdout.write(INFO)
  expect(printed()).toBe(INFO + ERROR + INFO)
})

it('the output of workerd during the start can be printed without lines of level info', () => {
  const { child, output, printed } = held()
  // A chunk may end within a line, and within a character.
  const bytes = Buffer.from(`${INFO}a fault of wörkerd\n${INFO}`)
  const cuts = [40, bytes.indexOf('ö') + 1, bytes.length - 9]
  for (const [i, cut] of cuts.entries()) child.stdout.write(bytes.subarray(cuts[i - 1] ?? 0, cut))
  child.stdout.write(bytes.subarray(cuts.at(-1)))
  child.stderr.write(ERROR)
  output.release({ withoutInfo: true })
  expect(printed()).toBe(`a fault of wörkerd\n${ERROR}`)
  child.stdout.write(INFO)
  expect(printed()).toBe(`a fault of wörkerd\n${ERROR}${INFO}`)
})

it('a line that has begun before the release is printed, or dropped, as a whole', () => {
  const { child, output, printed } = held()
  child.stdout.write(`${ERROR}${INFO.slice(0, 70)}`)
  child.stderr.write(ERROR.slice(0, 5))
  output.release({ withoutInfo: true })
  expect(printed()).toBe(ERROR)
  child.stdout.write(INFO.slice(70, 80))
  child.stderr.write(ERROR.slice(5, 30))
  expect(printed()).toBe(ERROR)
  child.stdout.write(`${INFO.slice(80)}${INFO}`)
  child.stderr.write(ERROR.slice(30))
  expect(printed()).toBe(ERROR + INFO + ERROR)
})

it('a line that has begun before the release is printed without its end if it is too long, or its process ends', async () => {
  const { child, output, printed } = held()
  child.stdout.write('long')
  child.stderr.write('a fault')
  output.release({ withoutInfo: true })
  const more = '.'.repeat(262_144)
  child.stdout.write(more)
  expect(printed()).toBe(`long${more}`)
  child.stdout.write(INFO.slice(0, 60))
  child.stderr.end()
  await expect.poll(printed).toBe(`long${more}${INFO.slice(0, 60)}a fault`)
})

it('the output of a process that has ended within a line is printed', async () => {
  const { child, output, printed } = held()
  child.stderr.end('a fault')
  await once(child.stderr, 'end')
  output.release({ withoutInfo: true })
  expect(printed()).toBe('a fault')
})

it('the output of workerd is not printed if the start reports its error in one sentence', () => {
  const { child, output, printed } = held()
  child.stdout.write(INFO)
  output.discard()
  output.release()
  expect(printed()).toBe('')
})
