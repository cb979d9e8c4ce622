// Activity of a person. The service ends a sign-in after an hour without it, so the page tells the service
// when a person did something. Reads by the page itself are no activity.

import { checkSession, renewSession } from '../api.ts'

/** Milliseconds between two messages about activity. */
const TELL_MS = 5 * 60_000
/** Milliseconds between two looks if the sign-in is over. So data of a page that is left alone disappears. */
const LOOK_MS = 60_000

const EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/** Follows the activity of a person until the returned function is called. */
export function followActivity(): () => void {
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = async () => {
    const now = performance.now()
    if (now - toldAt < TELL_MS) return
    toldAt = now
    const told = await renewSession()
    if (!told.ok) toldAt = Number.NEGATIVE_INFINITY
  }
  const look = setInterval(() => void checkSession(), LOOK_MS)
  for (const name of EVENTS) addEventListener(name, tell, { capture: true, passive: true })
  return () => {
    clearInterval(look)
    for (const name of EVENTS) removeEventListener(name, tell, { capture: true })
  }
}
