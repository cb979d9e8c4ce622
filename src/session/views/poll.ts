// What a relying party's poll is answered with (CONTRACT 4), written once for each document: a session that changed has another.

import type { Config } from '../../config.ts'
import type { SessionDocument } from '../document.ts'
import { sessionUrlOf } from '../request/client-token.ts'
import type { View } from '../results.ts'
import { sessionView } from './view.ts'

/** The session as its relying party sees it. Whose it is, the object has asked before. */
export async function pollView(document: SessionDocument, config: Config): Promise<View> {
  const written = views.get(document)
  if (written !== undefined) return written
  const sessionUrl = document.status === 'pending' ? await sessionUrlOf(config, document) : null
  const view = {
    json: JSON.stringify(sessionView(document, sessionUrl, config.baseUrl)),
    version: document.version,
  }
  views.set(document, view)
  return view
}

const views = new WeakMap<SessionDocument, View>()
