// The data that the session page gives to its scripts (assets/page), as JSON in `data-page`. The scripts
// import these types, so this file must not import other modules of src.

import type english from '../../../../assets/texts/en.json'

/** Texts of one state for people: the name of the state, and the next step. */
export type StateText = { readonly title: string; readonly text: string }

export type ScriptData = {
  /** Path of the session's API. */
  readonly api: string
  /** False for a login that has no session yet. The first POST of the page creates the session. */
  readonly begun: boolean
  readonly version: number
  /** Milliseconds until the session expires. */
  readonly expires_in: number
  /** True for a login: when the session has ended, the page opens the address of its link back by itself. */
  readonly follows: boolean
  /**
   * Number of the last wallet activity before the person asked for a new code. The page shows only later
   * activities.
   */
  readonly seen: number
  /** Last activity of a wallet. `ago`: milliseconds between the activity and the creation of the page. */
  readonly activity: { readonly number: number; readonly ago: number } | null
  /** Heading of the page after the session has ended, in the past tense: "… asked you to show". */
  readonly asked: string
  /** Countdown with the placeholder `{time}`. */
  readonly time_left: string
  readonly link_opened: string
  readonly link_failed: string
  readonly link_elsewhere: string
  /** Wallet in the address of the page: an id, `any`, or null for the wallet of the create request. */
  readonly wallet: string | null
  /** Exchange protocols that the request has for the Digital Credentials API. */
  readonly dc_api_exchanges: readonly string[]
  /**
   * Digital Credentials API protocols, in the order of their buttons. A phone may show one button for all.
   */
  readonly dc_api_protocols: readonly ('openid4vp' | 'org-iso-mdoc')[]
  /** True if an iPhone app can answer. If false, a browser that can reach only iPhones shows no button. */
  readonly dc_api_iphone: boolean
  /** Words of the first button if the wallet is on another device. */
  readonly dc_api_nearby: string
  readonly dc_api_closed: string
  readonly dc_api_sent: string
  readonly states: Record<keyof typeof english.states, StateText>
  /** Texts of the state `refused`, by `RefusalFamily`. Such a text replaces the text in `states`. */
  readonly refusals: Readonly<Record<string, string>>
  /** Texts about the end of the session, by `EndFamily`. Such a text replaces the text in `states`. */
  readonly ends: Readonly<Record<string, string>>
  /**
   * Addresses of the page's link back to the relying party, by status. Empty if the link already has its
   * address, or if there is no address.
   */
  readonly back: Readonly<Record<string, string>>
  /** The ways to open a wallet, best first. `opening` of the first visible way replaces `states.waiting`. */
  readonly ways: readonly { readonly id: string; readonly opening: StateText | null }[]
}
