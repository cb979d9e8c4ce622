// The script that goes back by itself after the end (assets/page/go-back.js), with a clock of the test.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ROOT } from '../../scripts/service/paths.mjs'

const SCRIPT = readFileSync(join(ROOT, 'assets', 'page', 'go-back.js'), 'utf8')
const BACK = 'https://shop.example/done'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Runs the script on a page, ends the session in a state, and returns the page's parts. */
function end(state: string) {
  const part = () => ({
    ...{ textContent: '', hidden: true, href: '', focused: false },
    dataset: {} as Record<string, string>,
    press: (() => undefined) as () => void,
    addEventListener(_: string, listener: () => void) {
      this.press = listener
    },
    focus() {
      this.focused = true
    },
  })
  const parts = { going: part(), stay: part(), back: part() }
  parts.going.dataset.text = 'Soon.'
  parts.back.href = BACK
  const main = { ...part(), dataset: { state } }
  const document = {
    hidden: false,
    querySelector: () => main,
    getElementById: (id: keyof typeof parts) => parts[id],
  }
  const opened: string[] = []
  const location = { assign: (address: string) => opened.push(address) }
  runInNewContext(SCRIPT, { document, location, setInterval, clearInterval })
  vi.advanceTimersByTime(60_000)
  expect([opened, parts.going.textContent, parts.stay.hidden]).toEqual([[], '', true])
  main.press()
  return { document, opened, ...parts }
}

it.each([
  ['verified', 5],
  ['rejected', 10],
  ['declined', 10],
])('after the outcome %s, the page announces the return, and returns after %i seconds', (state, seconds) => {
  const { opened, going, stay } = end(state)
  expect([going.textContent, stay.hidden]).toEqual(['Soon.', false])
  vi.advanceTimersByTime(seconds * 1000 - 1)
  expect(opened).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(opened).toEqual([BACK])
})

it('the countdown of the page stops while the page is hidden', () => {
  const { document, opened } = end('verified')
  vi.advanceTimersByTime(3_000)
  document.hidden = true
  vi.advanceTimersByTime(60_000)
  expect(opened).toEqual([])
  document.hidden = false
  vi.advanceTimersByTime(1_999)
  expect(opened).toEqual([])
  vi.advanceTimersByTime(1)
  expect(opened).toEqual([BACK])
})

it('the stay button ends the automatic return, and moves the focus to the link back', () => {
  const { opened, going, stay, back } = end('verified')
  stay.press()
  vi.advanceTimersByTime(60_000)
  expect([opened, going.textContent, stay.hidden, back.focused]).toEqual([[], '', true, true])
})
