// Measurements that are stable on a busy machine: medians of rounds in which all candidates take turns.

import { connect, type Socket } from 'node:net'

/** Returns the median of the values. */
export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** Returns the value that `percent` of the values do not exceed (nearest rank). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

/** Returns the milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** One request as it goes over the wire. */
export type RawRequest = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type RawAnswer = { readonly status: number; readonly body: string }

/** A keep-alive connection that sends one request after the other, with less CPU than any HTTP client. */
export type Line = { readonly ask: (request: RawRequest) => Promise<RawAnswer>; readonly close: () => void }

export async function openLine(port: number): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.setEncoding('latin1')
  return {
    ask: (request) => {
      socket.write(serialise(request))
      return readResponse(socket)
    },
    close: () => socket.destroy(),
  }
}

function serialise({ method = 'GET', path, headers = {}, body = '' }: RawRequest): string {
  const fields = {
    Host: 'localhost',
    ...headers,
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

function readResponse(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: string) => {
      text += chunk
      const answer = parseAnswer(text)
      if (answer === undefined) return
      stop()
      resolve(answer)
    }
    const onEnd = () => {
      stop()
      reject(new Error(`the connection ended after: ${text.slice(0, 200)}`))
    }
    const stop = () => socket.off('data', onData).off('close', onEnd)
    socket.on('data', onData).on('close', onEnd)
  })
}

/**
 * Parses a response, or returns undefined while it is incomplete. workerd sends a length, or chunks when it
 * streams.
 */
function parseAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const status = Number(text.slice(9, 12))
  const body = text.slice(end + 4)
  const head = text.slice(0, end)
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  if (length !== undefined) return body.length >= Number(length) ? { status, body } : undefined
  if (status === 204) return { status, body: '' }
  if (!body.endsWith('0\r\n\r\n')) return undefined
  return { status, body: body.replace(/(^|\r\n)[0-9a-f]+\r\n/gi, '') }
}
