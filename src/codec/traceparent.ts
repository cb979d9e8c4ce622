// The `traceparent` header (W3C Trace Context §3.2). The header names the trace that a message belongs to,
// and has no other effect.

/** A trace, and whether its originator records it. */
export type Trace = {
  /** 32 hexadecimal digits in lower case, not all zero. */
  readonly trace_id: string
  readonly sampled: boolean
}

/**
 * Parses the header of a caller. Returns `undefined` for a malformed header.
 *
 * @example
 * parseTraceparent('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
 * // { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: true }
 */
export function parseTraceparent(header: string): Trace | undefined {
  const [, version, trace_id = '', parent = '', flags = '', more] = SHAPE.exec(header) ?? []
  // A header of version 00 ends after the flags (§3.2.2.2). A header of a higher version begins like version
  // 00, and may be longer (§3.2.4). Version ff is invalid, and so are ids that are all zero.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(trace_id) || /^0+$/.test(parent)) return undefined
  return { trace_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const SHAPE = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Returns the header for a message of this trace. `parentId` is the id of the message: 16 hexadecimal digits,
 * not all zero.
 */
export function writeTraceparent({ trace_id, sampled }: Trace, parentId: string): string {
  return `00-${trace_id}-${parentId}-${sampled ? '01' : '00'}`
}
