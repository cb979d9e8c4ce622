// Trace of a request (W3C Trace Context): the caller's trace, or else a new trace. The log has it, and so do
// the webhooks of the session that the request creates.

import { encodeHex } from '../../codec/bytes.ts'
import { parseTraceparent, type Trace } from '../../codec/traceparent.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { AppContext } from './context.ts'

/** Returns the request's trace. It is computed at the first call: most polls never need a trace. */
export function readTrace(c: AppContext): Trace {
  const trace = c.get('trace') ?? parseTraceparent(c.req.header('traceparent') ?? '') ?? newTrace()
  c.set('trace', trace)
  return trace
}

/** §4.2: a new trace that is not recorded is not sampled. */
function newTrace(): Trace {
  return { trace_id: encodeHex(randomBytes(16)), sampled: false }
}
