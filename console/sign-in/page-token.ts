// Token of this page, which each call sends (docs/console.md). The service sends it once, at the sign-in. The
// tab stores it for a reload. A new tab gets it from a tab that is signed in: the messages of a channel stay
// in this browser and this origin.

const NAME = 'console-token'
const ASK = 'ask'
/** Milliseconds for which a new tab waits for the token of another tab. */
const WAIT_MS = 1_000

const channel = new BroadcastChannel(NAME)
let token = ''

channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === ASK && token !== '') channel.postMessage({ token })
})

/** Returns the token of this page; an empty text if this page is not signed in. */
export function pageToken(): string {
  return token
}

/** Sets the token of this page. An empty text removes it. */
export function setPageToken(next: string): void {
  token = next
  if (next === '') sessionStorage.removeItem(NAME)
  else sessionStorage.setItem(NAME, next)
}

/** Returns the token that this tab had before a reload; an empty text if it had none. */
export function storedToken(): string {
  return sessionStorage.getItem(NAME) ?? ''
}

/**
 * Returns the result of `tryToken` for the token of another tab. If it is `undefined`, the token of the next
 * tab is tried: a tab may still have the token of an earlier sign-in. Returns `undefined` if no token fits in
 * time.
 */
export function askOtherTabs<T>(tryToken: (token: string) => Promise<T | undefined>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const tried = new Map<string, Promise<void>>()
    const answered = ({ data }: MessageEvent<{ readonly token?: string }>) => {
      const { token } = data
      if (token === undefined || tried.has(token)) return
      tried.set(
        token,
        tryToken(token).then((found) => {
          if (found !== undefined) finish(found)
        }),
      )
    }
    const finish = (found?: T) => {
      channel.removeEventListener('message', answered)
      clearTimeout(timer)
      resolve(found)
    }
    const timer = setTimeout(async () => {
      await Promise.all(tried.values())
      finish()
    }, WAIT_MS)
    channel.addEventListener('message', answered)
    channel.postMessage(ASK)
  })
}
