// `<wallet-verifier>`, a custom element for a page of the relying party: the session page in a frame as high
// as its content. What it reports is a hint for that page. The outcome is what your server reads.

/** Status that the frame shows. `gone`: the verification was erased. */
export type ShownStatus = (typeof STATUSES)[number]

/** `detail` of the event `statuschange`. */
export type StatusChange = { readonly verification_id: string; readonly status: ShownStatus }

const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled', 'gone'] as const
const MESSAGE = 'wallet_verifier.state'
const LARGEST_HEIGHT = 10_000 // pixels
const STYLE =
  ':host{display:block}:host([hidden]){display:none}iframe{display:block;width:100%;height:40rem;border:0}'

/** Message of the session page to the page around it. */
type PageMessage = StatusChange & { readonly type: typeof MESSAGE; readonly height: number }

/** The session page in the frame. */
type Session = { readonly id: string; readonly origin: string; readonly address: string }

/** Defines the element. Does nothing on a server, or if the name is already defined. */
export function defineWalletVerifier(name = 'wallet-verifier'): void {
  if (typeof customElements === 'undefined' || customElements.get(name) !== undefined) return
  customElements.define(name, createClass())
}

/** A server has no `HTMLElement`, so the class is created if the element is defined. */
function createClass(): CustomElementConstructor {
  // The policy of a page may forbid a `<style>`. This sheet needs no permission.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)

  return class extends HTMLElement {
    static readonly observedAttributes = ['session-url', 'label']
    readonly #root = this.attachShadow({ mode: 'open' })
    #frame: HTMLIFrameElement | undefined
    #session: Session | undefined
    #status: ShownStatus | undefined
    #isShown = false

    connectedCallback(): void {
      this.#root.adoptedStyleSheets = [sheet]
      addEventListener('message', this.#receive)
      this.#isShown = true
      this.#show()
    }

    disconnectedCallback(): void {
      removeEventListener('message', this.#receive)
      this.#isShown = false
    }

    attributeChangedCallback(): void {
      if (this.#isShown) this.#show()
    }

    /** Shows the session of the attributes, or nothing without `session-url`. */
    #show(): void {
      const address = this.getAttribute('session-url')
      const session = address === null ? undefined : sessionOf(address)
      if (session?.address !== this.#session?.address) {
        this.#session = session
        this.#status = undefined
        this.#frame = session && frameOf(session)
        this.#root.replaceChildren(...(this.#frame ? [this.#frame] : []))
      }
      if (this.#frame) this.#frame.title = this.getAttribute('label') ?? 'Wallet'
    }

    /** Accepts only messages of the session page in this element's own frame. */
    readonly #receive = ({ source, origin, data }: MessageEvent<unknown>): void => {
      const [frame, session] = [this.#frame, this.#session]
      if (!frame || !session || source === null || source !== frame.contentWindow) return
      if (origin !== session.origin || !isPageMessage(data) || data.verification_id !== session.id) return
      const { verification_id, status, height } = data
      frame.style.height = `${height}px`
      if (status === this.#status) return
      this.#status = status
      const detail: StatusChange = { verification_id, status }
      this.dispatchEvent(new CustomEvent('statuschange', { detail, bubbles: true }))
    }
  }
}

/** Reads a `session_url`. The page needs the parameter `embed`: the origin to which it may send messages. */
function sessionOf(text: string): Session {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [, id] = /\/s\/(v_[\w-]+)$/.exec(url?.pathname ?? '') ?? []
  if (url === undefined || id === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError('session-url must be the `session_url` of a created verification')
  url.searchParams.set('embed', location.origin)
  return { id, origin: url.origin, address: url.href }
}

function frameOf({ address }: Session): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.referrerPolicy = 'no-referrer'
  frame.src = address
  return frame
}

function isPageMessage(data: unknown): data is PageMessage {
  if (typeof data !== 'object' || data === null) return false
  const { type, verification_id, status, height } = data as Partial<Record<keyof PageMessage, unknown>>
  return (
    type === MESSAGE &&
    typeof verification_id === 'string' &&
    STATUSES.some((known) => known === status) &&
    Number.isInteger(height) &&
    Number(height) > 0 &&
    Number(height) <= LARGEST_HEIGHT
  )
}
