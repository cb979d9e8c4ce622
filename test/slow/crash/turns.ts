// Turns of the runs that kill. Load and kills need the processor. The wait for the last events afterwards
// does not, so the next run kills meanwhile.

/** Takes a turn when one is free. Returns the function that gives the turn back. */
export type Turns = { readonly take: () => Promise<() => void> }

/** Opens `places` turns, which are taken in the order of the calls. */
export function openTurns(places: number): Turns {
  const waiting: (() => void)[] = []
  let free = places
  const giveBack = () => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }
  const onlyOnce = () => {
    let isGiven = false
    return () => {
      if (!isGiven) giveBack()
      isGiven = true
    }
  }
  return {
    take: async () => {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else free--
      return onlyOnce()
    },
  }
}
