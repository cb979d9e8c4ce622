// The view of a session for its relying party (api/result). The view is serialised once for each document.

import type { Config } from '../../config.ts'
import type { SessionDocument } from '../document/document.ts'
import type { View } from '../document/state-view.ts'
import { buildSessionUrl } from '../request/client-token.ts'
import { sessionView } from './verification-view.ts'

/** Returns the view of the session for its relying party. The caller has already checked the access. */
export async function pollView(document: SessionDocument, config: Config): Promise<View> {
  const written = views.get(document)
  if (written !== undefined) return written
  const sessionUrl = document.status === 'pending' ? await buildSessionUrl(config, document) : null
  const view = {
    json: JSON.stringify(sessionView(document, sessionUrl, config.baseUrl)),
    version: document.version,
  }
  views.set(document, view)
  return view
}

const views = new WeakMap<SessionDocument, View>()
