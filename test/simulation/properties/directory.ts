// The directory has every relying party once, and none whose erasure was acknowledged.

import type { Property } from '../ledger.ts'

export const directory: Property = {
  name: 'the directory has every relying party',
  watch: ({ parties, fail, directory: listed }) => {
    const check = () => {
      const ids = listed()
      if (ids === undefined) return
      for (const { name, id, object, isErasureConfirmed } of parties) {
        const rows = ids.filter((one) => one === id).length
        const isStored = object.durable.data.has('document')
        if (rows > 1) fail(`${name} is in the directory ${rows} times`)
        if (rows === 0 && isStored) fail(`${name} is not in the directory`)
        if (isErasureConfirmed && (rows > 0 || isStored)) fail(`${name} was erased, and is in the directory`)
      }
    }
    return { repaired: check, lifetimesOver: check, retentionsOver: check }
  },
}
