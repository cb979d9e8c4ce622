// The address of a page, after `#`: `#/verifications/v_1`, `#/verifications?status=pending`.

import { useLayoutEffect, useState } from 'preact/hooks'

export type Route = {
  readonly page: string
  readonly id: string
  /** Query without its question mark. */
  readonly query: string
}

/** Returns the current route, and renders again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  // This runs before the page is painted, because a person may press a link at once.
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [page = '', id = ''] = path.split('/')
  return { page, id: decoded(id), query }
}

/** Returns the link to a verification. */
export function verificationLink(id: string): string {
  return `#/verifications/${encodeURIComponent(id)}`
}

/** Returns the link to the list with a query. */
export function listLink(query: string): string {
  return query === '' ? '#/verifications' : `#/verifications?${query}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
