// Log lines of the service: one JSON object in each line, with its time and level. No line contains a token,
// a claim, an address or the whole id of a session.

export type LogLevel = 'info' | 'warn' | 'error'

/** Writes one log line. `event` is the kind of the line (docs/operating.md). */
export function logLine(level: LogLevel, event: string, members: Readonly<Record<string, unknown>>): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...members })
  if (level === 'info') console.log(line)
  else console.error(line)
}
