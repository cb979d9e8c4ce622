// Settings from the environment. See README.md.

export const PORT = Number(process.env.PORT ?? 3000)
export const APP_URL = process.env.APP_URL ?? `http://localhost:${PORT}`
export const CALLBACK = `${APP_URL}/callback`

/** File with what `npm run register` got: keep it secret. */
export const REGISTRATION = process.env.REGISTRATION ?? 'registration.json'

export function required(name) {
  const value = process.env[name]
  if (value) return value
  console.error(`Set ${name}: see README.md.`)
  process.exit(1)
}
