// The members of a request that state what the person must prove (api/creation): types and scopes, or a
// query, or a preset.

/** Members that state what the person must prove. */
type QueryMembers = {
  readonly dcql_query?: unknown
  readonly preset?: unknown
  readonly credential_types?: unknown
  readonly scope?: unknown
  readonly formats?: unknown
  readonly credential_match: 'any' | 'all'
  readonly allow_derived: boolean
  readonly intent_to_retain?: unknown
}

/** Returns an error for each member that is missing, or that must not be combined with another member. */
export function queryErrors(
  body: QueryMembers,
): readonly { readonly name: string; readonly message: string }[] {
  const { dcql_query, credential_types, scope, formats, credential_match, allow_derived } = body
  const { intent_to_retain, preset } = body
  const required = 'This member is required.'
  if (dcql_query === undefined && preset === undefined) {
    return [
      ...(credential_types === undefined ? [{ name: 'credential_types', message: required }] : []),
      ...(scope === undefined ? [{ name: 'scope', message: required }] : []),
    ]
  }
  const beside = {
    credential_types: credential_types !== undefined,
    scope: scope !== undefined,
    formats: formats !== undefined,
    credential_match: credential_match !== 'any',
    allow_derived,
    intent_to_retain: intent_to_retain !== undefined,
    dcql_query: preset !== undefined && dcql_query !== undefined,
  }
  const whole = preset === undefined ? 'dcql_query' : 'preset'
  return Object.entries(beside)
    .filter(([, isGiven]) => isGiven)
    .map(([name]) => ({ name, message: `must not be combined with ${whole}` }))
}
