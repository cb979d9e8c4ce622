// Parses forms and queries (application/x-www-form-urlencoded). A broken escape is rejected. The platform's
// parser would repair it, and two programs could then read different values.

/** Names and values of a form, in their order. A name may come twice. */
export type FormPairs = readonly (readonly [string, string])[]

const PARAMETER_LIMIT = 32

/** Parses the text of a form, or of a query; `undefined` if it is malformed. */
export function parsePairs(text: string): FormPairs | undefined {
  const pairs = text.split('&').filter((pair) => pair !== '')
  if (pairs.length > PARAMETER_LIMIT) return undefined
  const decoded: [string, string][] = []
  for (const pair of pairs) {
    const split = pair.indexOf('=')
    const name = decodeFormText(split < 0 ? pair : pair.slice(0, split))
    const value = decodeFormText(split < 0 ? '' : pair.slice(split + 1))
    if (name === undefined || value === undefined) return undefined
    decoded.push([name, value])
  }
  return decoded
}

/** Decodes one name or value of a form; `undefined` for broken escapes, and for bytes that are not UTF-8. */
export function decodeFormText(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined // a broken escape, or escaped bytes that are not UTF-8
  }
}
