// The page: reads the fields, inspects, and shows the report. Every text of a report becomes a text node, so
// none of them can run.

import * as z from 'zod/mini'
import {
  type Check,
  type InspectInput,
  inspect,
  type Outcome,
  type Part,
  type Report,
} from '../src/inspect.ts'
import { INPUT } from '../src/limits.ts'

// Without this, the library tries to compile code, which the policy of the page forbids.
z.config({ jitless: true })

const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

function field<T extends HTMLElement>(id: string, type: { new (): T }): T {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`)
  return found
}

const textOf = (id: string) => field(id, HTMLTextAreaElement).value
const lineOf = (id: string) => field(id, HTMLInputElement).value.trim()
const filesOf = (id: string) => [...(field(id, HTMLInputElement).files ?? [])]

/** Returns the text of a field, or else the content of its file. */
async function contentOf(id: string): Promise<string | Uint8Array | undefined> {
  const text = textOf(id)
  if (text.trim() !== '') return text
  const [file] = filesOf(`${id}-file`)
  return file && readFile(file)
}

async function readFile(file: File): Promise<Uint8Array> {
  if (file.size > INPUT.bytes) throw new Error(`${file.name} has more than 64 MiB`)
  return new Uint8Array(await file.arrayBuffer())
}

async function readFields(): Promise<InspectInput | undefined> {
  const [input, response] = [await contentOf('input'), await contentOf('response')]
  const at = lineOf('at')
  if (at !== '' && !TIME.test(at)) throw new Error('the time must be as 2031-01-31T12:00:00Z')
  const [keys, anchors, origin] = [textOf('keys').trim(), textOf('anchors').trim(), lineOf('origin')]
  const lists = await Promise.all(filesOf('lists').map(readFile))
  if (input === undefined) return undefined
  return {
    input,
    ...(response !== undefined && { response }),
    ...(keys !== '' && { keys }),
    ...(anchors !== '' && { anchors }),
    ...(lists.length > 0 && { lists }),
    ...(origin !== '' && { origin }),
    ...(field('haip', HTMLInputElement).checked && { haip: true }),
    ...(at !== '' && { now: new Date(at) }),
  }
}

async function run(): Promise<void> {
  const [state, target] = [field('state', HTMLElement), field('report', HTMLElement)]
  target.replaceChildren()
  state.textContent = 'Inspecting …'
  try {
    const input = await readFields()
    if (input === undefined) {
      state.textContent = 'Enter a text or choose a file.'
      return
    }
    const report = await inspect(input)
    target.replaceChildren(...reportElements(report))
    state.textContent = summaryOf(report)
  } catch (error) {
    state.textContent = `This cannot be inspected: ${error instanceof Error ? error.message : 'unknown error'}`
  }
}

function summaryOf({ title, parts }: Report): string {
  const checks = parts.flatMap((part) => part.checks)
  const count = (result: Check['result']) => checks.filter((check) => check.result === result).length
  return `${title}: ${count('holds')} checks hold, ${count('fails')} fail, ${count('not_checked')} were not made.`
}

function element(tag: string, className: string, ...children: readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.append(...children) // a string becomes a text node
  return made
}

function reportElements({ parts, outcome }: Report): readonly HTMLElement[] {
  return [...(outcome === null ? [] : [outcomeElement(outcome)]), ...parts.map(partElement)]
}

const STATUS_MARKS: Readonly<Record<string, string>> = { verified: 'good', not_evaluated: 'note' }

function outcomeElement(outcome: Outcome): HTMLElement {
  const { status, is_conditional, reason, message, clause, steps, assumptions } = outcome
  const words = status === 'not_evaluated' ? 'not evaluated' : status
  const kind = is_conditional ? 'note' : (STATUS_MARKS[status] ?? 'bad')
  const marked = element('span', `mark ${kind}`, is_conditional ? `${words} under assumptions` : words)
  const line = element('p', '', marked, reason === null ? '' : element('code', '', reason), ` ${message}`)
  const lists = [
    listOf(
      steps.map(({ id, result, clause: of }) => checkElement(STEP_MARKS[result] ?? 'note', result, id, of)),
    ),
    listOf(assumptions.map((text) => element('li', 'soft', text))),
  ]
  return element('section', 'outcome', element('h2', '', 'Outcome'), line, clauseElement(clause), ...lists)
}

const STEP_MARKS: Readonly<Record<string, string>> = { pass: 'good', fail: 'bad' }

function partElement({ title, clause, checks, rows }: Part): HTMLElement {
  const list = element(
    'dl',
    '',
    ...rows.map(({ name, value, meaning, clause: of }) => {
      const notes =
        meaning === null ? [] : [element('dd', 'soft', of === null ? meaning : `${meaning} (${of})`)]
      return element(
        'div',
        '',
        element('dt', '', name === '' ? 'value' : name),
        element('dd', 'value', value),
        ...notes,
      )
    }),
  )
  const made = checks.map(({ name, result, detail, clause: of }) => {
    const [mark, words] = RESULTS[result]
    return checkElement(mark, words, `${name}: ${detail}`, of)
  })
  const content = rows.length === 0 ? [] : [list]
  return element('section', 'part', element('h2', '', title), clauseElement(clause), listOf(made), ...content)
}

const RESULTS = {
  holds: ['good', 'holds'],
  fails: ['bad', 'fails'],
  not_checked: ['note', 'not checked'],
} as const

function checkElement(mark: string, words: string, text: string, clause: string | null): HTMLElement {
  const more = clause === null ? '' : element('span', 'clause', ` (${clause})`)
  return element('li', '', element('span', `mark ${mark}`, words), text, more)
}

function listOf(items: readonly HTMLElement[]): HTMLElement | string {
  return items.length === 0 ? '' : element('ul', '', ...items)
}

function clauseElement(clause: string | null): HTMLElement | string {
  return clause === null ? '' : element('p', 'clause', clause)
}

field('inspect', HTMLButtonElement).addEventListener('click', () => void run())
