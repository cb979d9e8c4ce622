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

/** Returns the token of another tab that is signed in; `undefined` if no tab answers in time. */
export function askOtherTabs(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const answered = ({ data }: MessageEvent<{ readonly token?: string }>) => {
      if (data.token !== undefined) finish(data.token)
    }
    const finish = (found?: string) => {
      channel.removeEventListener('message', answered)
      clearTimeout(timer)
      resolve(found)
    }
    const timer = setTimeout(finish, WAIT_MS)
    channel.addEventListener('message', answered)
    channel.postMessage(ASK)
  })
}
