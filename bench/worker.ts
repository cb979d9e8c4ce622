// What the bench runs inside workerd: one task, done `n` times in one request. With `n=0` a request costs what it costs
// anyway, and that is taken off again.

import { Hono } from 'hono'
import { refuseDeepCbor, refuseDisclosures } from './tasks/hostile.ts'
import { verifyMdocWithLibrary, verifyMdocWithOurs, verifyNothingButProofs } from './tasks/mdoc.ts'
import { drawWithOurs, drawWithQrcode, drawWithQrcodeSvgAndUpng } from './tasks/qr.ts'
import { verifyNothingButSignatures, verifyWithLibrary, verifyWithOurs } from './tasks/sd-jwt-vc.ts'
import { lookUpBomb, lookUpRemembered, verifyOneSignature } from './tasks/status-list.ts'

/** One task, once. `input` is what the request's body holds; `turn` tells the repetitions apart. */
export type Task = (input: never, turn: number) => unknown

const TASKS = {
  'qr/ours': drawWithOurs,
  'qr/qrcode-svg+upng-js': drawWithQrcodeSvgAndUpng,
  'qr/qrcode': drawWithQrcode,
  'sd-jwt-vc/ours': verifyWithOurs,
  'sd-jwt-vc/@sd-jwt': verifyWithLibrary,
  'sd-jwt-vc/floor': verifyNothingButSignatures,
  'status-list/remembered': lookUpRemembered,
  'status-list/bomb': lookUpBomb,
  'status-list/floor': verifyOneSignature,
  'mdoc/ours': verifyMdocWithOurs,
  'mdoc/@owf': verifyMdocWithLibrary,
  'mdoc/floor': verifyNothingButProofs,
  'hostile/disclosures': refuseDisclosures,
  'hostile/cbor': refuseDeepCbor,
} as const satisfies Readonly<Record<string, Task>>
export type TaskName = keyof typeof TASKS

const app = new Hono()

/** What every request through this router costs at the least: the hello world that polls are compared with. */
app.get('/', (c) => c.text('Hello, world'))

app.post('/tasks', async (c) => {
  const { task, n, input } = await c.req.json<{ task: TaskName; n: number; input: never }>()
  for (let turn = 0; turn < n; turn++) await TASKS[task](input, turn)
  return c.body(null, 204)
})

export default app
