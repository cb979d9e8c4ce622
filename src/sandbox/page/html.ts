// Markup: what is put into a template is text and escaped, unless a template made it.

export type Markup = { readonly markup: string }

type Part = Markup | string | number | false | undefined | readonly Part[]

/** Writes markup. `false` and `undefined` are nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Markup {
  const written = values.map(write)
  return { markup: parts.map((part, i) => part + (written[i] ?? '')).join('') }
}

function write(value: Part): string {
  if (value === undefined || value === false) return ''
  if (isList(value)) return value.map(write).join('')
  if (typeof value === 'object') return value.markup
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** `Array.isArray` does not tell a readonly array from the other members of the union. */
function isList(value: Part): value is readonly Part[] {
  return Array.isArray(value)
}
