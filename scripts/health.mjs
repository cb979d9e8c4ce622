// `node scripts/health.mjs`: exits with 0 if the service of this machine is ready, else with 1. It reads the
// variables of the service, so that it can run in the container of the service.

import { readOptions } from './service/options.mjs'
import { request } from './service/request.mjs'

try {
  const { origin } = readOptions(process.env)
  const { status, text } = await request('GET', `${origin}/readyz`)
  if (status !== 200) console.error(text)
  process.exitCode = status === 200 ? 0 : 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
