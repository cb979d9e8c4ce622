// What is asked, in a person's words. A type or scope that has none (a relying party may add its own) goes by its name.

import { parseAgeScope } from '../../../policy/age.ts'
import type { RequestedClaims, RequestedGroup } from '../../../policy/requested-claims.ts'
import { fill, type Texts } from './texts.ts'

/** What is to be shown, each thing once. */
export function askedClaims({ items }: Pick<RequestedClaims, 'items'>, texts: Texts): readonly string[] {
  const words = items.map(({ kind, name, optional }) => {
    const word = kind === 'claim' ? scopeInWords(name, texts) : typeInWords(name, texts)
    return { word, optional }
  })
  const needed = words.filter(({ optional }) => !optional).map(({ word }) => word)
  const inPlace = words.map(({ word, optional }) =>
    optional && !needed.includes(word) ? fill(texts.optional, { thing: word }) : word,
  )
  return [...new Set(inPlace)]
}

/** The credentials it may come from: a phrase for each group. */
export function askedTypes({ groups }: Pick<RequestedClaims, 'groups'>, texts: Texts): readonly string[] {
  return groups.map((group) => {
    const types = combinationsInWords(group, texts)
    return fill(group.optional ? texts.fromOptional : texts.from, { types })
  })
}

function combinationsInWords({ alternatives }: RequestedGroup, texts: Texts): string {
  const join = (type: 'conjunction' | 'disjunction', words: readonly string[]) =>
    new Intl.ListFormat(texts.language, { type }).format(words)
  const oneOf = (types: readonly string[]) =>
    join(
      'disjunction',
      types.map((name) => typeInWords(name, texts)),
    )
  return join(
    'disjunction',
    alternatives.map((combination) => join('conjunction', combination.map(oneOf))),
  )
}

function typeInWords(name: string, texts: Texts): string {
  return own(texts.types, name) ?? name
}

function scopeInWords(scope: string, texts: Texts): string {
  const age = parseAgeScope(scope)
  if (age !== undefined) return fill(texts.ageScope, { age: String(age.years) })
  return own(texts.scopes, scope) ?? scope
}

/** A relying party names its own types and scopes: `constructor` is a name like any other. */
function own(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}
