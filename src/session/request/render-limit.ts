// Limit of renders, which are new requests of a session (api/qr): 60 at once, and then one a second. The
// count is in memory only. It starts again after an eviction of the object.

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
