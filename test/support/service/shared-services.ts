// The service that the files of a folder of tests share (offer-services.ts).

import { dirname } from 'node:path'
import { expect, inject } from 'vitest'
import type { Wanted } from './offer-services.ts'
import type { RunningServer } from './server.ts'

/** Returns the service of the test file's folder with these variables of the launcher. Call it in a hook. */
export async function sharedServer(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const { testPath = '' } = expect.getState()
  const wanted: Wanted = { folder: dirname(testPath), env }
  const response = await fetch(inject('sharedServices'), { method: 'POST', body: JSON.stringify(wanted) })
  if (response.status !== 200) throw new Error(`the shared service did not start: ${await response.text()}`)
  return (await response.json()) as RunningServer
}
