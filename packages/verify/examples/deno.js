// An age check with Deno: `deno run --allow-env --allow-net deno.js`.

import process from 'node:process'
import { ageCheck } from './handler.js'

const { ORIGIN: origin, VERIFIER = '{}', ANCHORS = '[]', PORT = '3000' } = process.env
const handle = ageCheck({ origin, verifier: JSON.parse(VERIFIER), anchors: JSON.parse(ANCHORS) })
Deno.serve({ hostname: '127.0.0.1', port: Number(PORT) }, handle)
