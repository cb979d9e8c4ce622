// An age check with Bun: `bun bun.js`.

import { ageCheck } from './handler.js'

const { ORIGIN: origin, VERIFIER = '{}', ANCHORS = '[]', PORT = '3000' } = process.env
const handle = ageCheck({ origin, verifier: JSON.parse(VERIFIER), anchors: JSON.parse(ANCHORS) })
const { port } = Bun.serve({ hostname: '127.0.0.1', port: PORT, maxRequestBodySize: 2e6, fetch: handle })
console.log(`Listening on port ${port}`)
