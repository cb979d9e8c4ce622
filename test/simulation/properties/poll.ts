// Shown states never go back: neither the version, nor the status, nor the stage. One version shows one
// text. The same holds for the messages of a socket.

import type { Call, Property } from '../ledger.ts'
import type { Session } from '../world.ts'

type View = {
  readonly version: number
  readonly status: string
  readonly stage: string
  readonly created_at?: string
}

/** A view, and the step in which its answer arrived. */
type Shown = { readonly view: View; readonly step: number; readonly text: string }

/** A held success may be discarded, so `awaiting_return` has no place in the order. */
const STAGES = ['created', 'request_fetched', 'done']

export const poll: Property = {
  name: 'what a poll shows never goes back',
  watch: ({ fail, step }) => {
    const polls = new Map<string, Shown[]>()
    const sockets = new Map<Session, View>()

    /** Compares a view with those whose answer had arrived when its call began. */
    const compare = (name: string, { view, began, text }: { view: View; began: number; text: string }) => {
      const earlier = polls.get(name) ?? []
      for (const shown of earlier) {
        if (shown.view.version === view.version && shown.text !== text) {
          fail(`two polls of ${name} differ in version ${view.version}: ${difference(shown.text, text)}`)
        }
        if (shown.step <= began) notBack(name, shown.view, view)
      }
      polls.set(name, [...earlier.slice(-20), { view, step: step(), text }])
    }
    const notBack = (name: string, old: View, view: View): void => {
      if (view.version < old.version) {
        fail(`${name} showed version ${old.version} (${old.status}), then ${view.version} (${view.status})`)
      }
      if (old.status !== 'pending' && view.status !== old.status) {
        fail(`${name} was shown as ${old.status}, then as ${view.status}`)
      }
      const [from, to] = [STAGES.indexOf(old.stage), STAGES.indexOf(view.stage)]
      if (from >= 0 && to >= 0 && to < from) {
        fail(`the stage of ${name} went back from ${old.stage} to ${view.stage}`)
      }
    }
    return {
      called: ({ session, method, answer, step: began }: Call) => {
        if (answer.lost || !(answer.value as { readonly ok?: boolean }).ok) return
        if (method !== 'read' && method !== 'readPublic') return
        const { json } = (answer.value as { readonly value: { readonly json: string } }).value
        const view = JSON.parse(json) as View
        compare(`${session.name} by ${method}`, { view, began, text: textOf(view) })
      },
      watched: (session, text) => {
        const view = JSON.parse(text) as View
        const old = sockets.get(session)
        sockets.set(session, view)
        if (old !== undefined) notBack(`the socket of ${session.name}`, old, view)
      },
    }
  },
}

/** Refused responses are shown before they are written, and before the version rises (api/result). */
function textOf(view: View): string {
  return JSON.stringify({ ...view, attempts: null, attempt_count: null, wallet_activity: null })
}

function difference(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const from = Math.max(0, at - 30)
  return `… ${one.slice(from, at + 40)} … / … ${other.slice(from, at + 40)} …`
}
