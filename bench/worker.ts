// Worker of the bench inside workerd: does one task `n` times in one request. A request with `n=0` measures
// the fixed cost, which is subtracted.

import { Hono } from 'hono'
import { openAnnexCWithOurs, openNothingButProofs } from './tasks/annex-c.ts'
import { refuseDeepCbor, refuseDisclosures } from './tasks/hostile.ts'
import { verifyMdocWithLibrary, verifyMdocWithOurs, verifyNothingButProofs } from './tasks/mdoc.ts'
import { drawWithOurs, drawWithQrcode, drawWithQrcodeSvgAndUpng } from './tasks/qr.ts'
import {
  verifyNothingButProofs as verifySdJwtProofs,
  verifyWithLibrary,
  verifyWithOurs,
} from './tasks/sd-jwt-vc.ts'
import { lookUpBomb, lookUpRemembered, verifyOneSignature } from './tasks/status-list.ts'

/** Does a task once. `input` is the body of the request; `turn` counts the repetitions. */
export type Task = (input: never, turn: number) => unknown

const TASKS = {
  'qr/ours': drawWithOurs,
  'qr/qrcode-svg+upng-js': drawWithQrcodeSvgAndUpng,
  'qr/qrcode': drawWithQrcode,
  'sd-jwt-vc/ours': verifyWithOurs,
  'sd-jwt-vc/@sd-jwt': verifyWithLibrary,
  'sd-jwt-vc/floor': verifySdJwtProofs,
  'status-list/remembered': lookUpRemembered,
  'status-list/bomb': lookUpBomb,
  'status-list/floor': verifyOneSignature,
  'mdoc/ours': verifyMdocWithOurs,
  'mdoc/@owf': verifyMdocWithLibrary,
  'mdoc/floor': verifyNothingButProofs,
  'annex-c/ours': openAnnexCWithOurs,
  'annex-c/floor': openNothingButProofs,
  'hostile/disclosures': refuseDisclosures,
  'hostile/cbor': refuseDeepCbor,
} as const satisfies Readonly<Record<string, Task>>
export type TaskName = keyof typeof TASKS

const app = new Hono()

/** Hello world: the least cost of a request through this router. Polls are compared with it. */
app.get('/', (c) => c.text('Hello, world'))

app.post('/tasks', async (c) => {
  const { task, n, input } = await c.req.json<{ task: TaskName; n: number; input: never }>()
  for (let turn = 0; turn < n; turn++) await TASKS[task](input, turn)
  return c.body(null, 204)
})

export default app
