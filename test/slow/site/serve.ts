// Serves a folder, as any server of files does.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Returns the origin, the paths that do not exist, and `close`. */
export async function serveFolder(folder: string) {
  const missing: string[] = []
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const path = join(folder, decodeURIComponent(pathname), pathname.endsWith('/') ? 'index.html' : '')
    if (!existsSync(path) || !statSync(path).isFile()) {
      if (pathname !== '/favicon.ico') missing.push(pathname)
      return response.writeHead(404).end()
    }
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream')
    response.end(readFileSync(path))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, missing, close: () => server.close() }
}
