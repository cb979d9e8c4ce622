// Limit of renders (api/qr): a session may be rendered 60 times at once, and then once a second. The limit is
// kept in memory. After an eviction of the object, the limit starts again. It still limits the writes enough.

const BURST = 60
const REFILL_PER_MS = 1 / 1000

/** Limit of renders. */
type RenderLimit = { readonly take: (now: number) => boolean }

/** Returns a new limit. `take` returns true if one more render is allowed at `now` (Unix milliseconds). */
export function openRenderLimit(): RenderLimit {
  let left = BURST
  let refilledAt = 0
  return {
    take: (now) => {
      left = Math.min(BURST, left + Math.max(0, now - refilledAt) * REFILL_PER_MS)
      refilledAt = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
