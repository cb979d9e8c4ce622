// The output of workerd is held back while the service starts.

import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { holdOutput } from '../../scripts/service/output.mjs'

const INFO = '{"time":"2026-11-23T00:00:00.000Z","level":"info","event":"request"}\n'
const ERROR = '{"time":"2026-11-23T00:00:00.000Z","level":"error","event":"fault"}\n'

/** Holds the output of a process, and collects what is passed on. */
function held(child = { stdout: new PassThrough(), stderr: new PassThrough() }) {
  const printed = new PassThrough()
  const output = holdOutput({ stdout: printed, stderr: printed })
  output.attach(child)
  let text = ''
  printed.on('data', (chunk) => {
    text += chunk
  })
  return { child, output, printed: () => text }
}

it('the output of workerd is held until the start has ended, and the held lines of level info are never printed', () => {
  const { child, output, printed } = held()
  child.stdout.write(`${INFO}a fault of workerd\n${INFO}`)
  child.stderr.write(ERROR)
  expect(printed()).toBe('')
  output.release()
  expect(printed()).toBe(`a fault of workerd\n${ERROR}`)
  child.stdout.write(INFO)
  expect(printed()).toBe(`a fault of workerd\n${ERROR}${INFO}`)
})

it('a line is printed as a whole, even if it began during the start or does not end with a line break', async () => {
  const { child, output, printed } = held()
  const bytes = Buffer.from(`wörkerd ${ERROR}`)
  child.stdout.write(bytes.subarray(0, 2)) // ends within a character
  child.stderr.write('a fault')
  output.release()
  expect(printed()).toBe('')
  child.stdout.write(bytes.subarray(2))
  expect(printed()).toBe(`wörkerd ${ERROR}`)
  child.stderr.end()
  await expect.poll(printed).toBe(`wörkerd ${ERROR}a fault\n`)
})

it('if a long start gives more than 1,000 lines of output, all of them are printed', () => {
  const { child, printed } = held()
  child.stderr.write(ERROR.repeat(1_000))
  expect(printed()).toBe('')
  child.stderr.write(ERROR)
  expect(printed()).toBe(ERROR.repeat(1_001))
})

it('the output of workerd is not printed if the start reports its error in one sentence', () => {
  const { child, output, printed } = held()
  child.stderr.write(ERROR)
  output.discard()
  output.release()
  expect(printed()).toBe('')
})

it('errors on stderr are printed after the start, even if workerd writes to stdout itself', () => {
  const stderr = new PassThrough()
  const { output, printed } = held({ stdout: null, stderr } as never)
  stderr.write(ERROR)
  output.release()
  expect(printed()).toBe(ERROR)
})
