// Which trace a request belongs to (W3C Trace Context): its caller's, or else a new one. It stands in the log's line, and goes along with the
// webhooks of the session that the request creates.

import { encodeHex } from '../../codec/bytes.ts'
import { parseTraceparent, type Trace } from '../../codec/traceparent.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { AppContext } from '../context.ts'

/** The request's trace. Worked out when it is first asked for: most polls never need one. */
export function traceOf(c: AppContext): Trace {
  const trace = c.get('trace') ?? parseTraceparent(c.req.header('traceparent') ?? '') ?? newTrace()
  c.set('trace', trace)
  return trace
}

/** §4.2: who begins a trace and records none of it says so. */
function newTrace(): Trace {
  return { trace_id: encodeHex(randomBytes(16)), sampled: false }
}
