// The data that the session page gives to its scripts (assets/page), as JSON in `data-page`.
// Browser code imports this type: it must not lead to other modules of src.

import type english from '../../../../assets/texts/en.json'

/** One state as people read it: its name, and the next step. */
export type StateText = { readonly title: string; readonly text: string }

export type ScriptData = {
  /** Path of the session's API. */
  readonly api: string
  readonly version: number
  /** Milliseconds until the session expires. */
  readonly expires_in: number
  /** Heading after the end. */
  readonly asked: string
  /** Countdown with the placeholder `{time}`. */
  readonly time_left: string
  readonly link_opened: string
  readonly link_failed: string
  readonly link_elsewhere: string
  readonly dc_api_closed: string
  readonly dc_api_sent: string
  readonly states: Record<keyof typeof english.states, StateText>
  /** Replaces `states.waiting` on a touch screen, where the link comes before the QR code. */
  readonly on_phone: StateText | null
}
