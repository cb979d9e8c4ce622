// Trace of a request (W3C Trace Context): the caller's trace, or else a new trace. The log contains the
// trace. The webhooks of a session contain the trace of the request that created the session.

import { encodeHex } from '../../codec/bytes.ts'
import { parseTraceparent, type Trace } from '../../codec/traceparent.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { AppContext } from './context.ts'

/** Returns the request's trace. It is computed at the first call, because most polls never need a trace. */
export function readTrace(c: AppContext): Trace {
  const trace = c.get('trace') ?? parseTraceparent(c.req.header('traceparent') ?? '') ?? newTrace()
  c.set('trace', trace)
  return trace
}

/** Returns a new trace. It is not recorded, so it is not sampled (§4.2). */
function newTrace(): Trace {
  return { trace_id: encodeHex(randomBytes(16)), sampled: false }
}
