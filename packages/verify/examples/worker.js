// An age check as a Cloudflare Worker. VERIFIER and ANCHORS are JSON texts, ORIGIN is the Worker's address.

import { ageCheck } from './handler.js'

let handle

export default {
  fetch(request, { ORIGIN: origin, VERIFIER, ANCHORS }) {
    handle ??= ageCheck({ origin, verifier: JSON.parse(VERIFIER), anchors: JSON.parse(ANCHORS) })
    return handle(request)
  },
}
