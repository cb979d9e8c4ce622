// The output of workerd is held back while the service starts.

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

it('the output of workerd is held back until the start has ended, and then printed at once', () => {
  const { child, output, printed } = held()
  child.stdout.write(INFO)
  child.stderr.write(ERROR)
  expect(printed()).toBe('')
  output.release()
  expect(printed()).toBe(INFO + ERROR)
  child.stdout.write(INFO)
  expect(printed()).toBe(INFO + ERROR + INFO)
})

it('the output of workerd during the start is printed without lines of level info, if so requested', () => {
  const { child, output, printed } = held()
  child.stdout.write(`${INFO}a fault of workerd\n${INFO}`)
  child.stderr.write(ERROR)
  output.release({ withoutInfo: true })
  expect(printed()).toBe(`a fault of workerd\n${ERROR}`)
  child.stdout.write(INFO)
  expect(printed()).toBe(`a fault of workerd\n${ERROR}${INFO}`)
})

it('the output of workerd is dropped if the start reports the error in one sentence', () => {
  const { child, output, printed } = held()
  child.stdout.write(INFO)
  output.discard()
  output.release()
  expect(printed()).toBe('')
})
