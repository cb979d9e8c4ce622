// Condition for the API description: a create request has either types and scopes, or a query, or a preset.
// The schema `createRequest` checks this condition.

/** Keywords of JSON Schema (`z.meta`). */
export const ONE_QUERY = {
  if: { anyOf: [{ required: ['dcql_query'] }, { required: ['preset'] }] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    properties: { credential_match: { const: 'any' }, allow_derived: { const: false } },
    not: {
      anyOf: [
        ...['credential_types', 'scope', 'formats', 'intent_to_retain'].map((name) => ({ required: [name] })),
        { required: ['dcql_query', 'preset'] },
      ],
    },
  },
  else: { required: ['credential_types', 'scope'] },
} as const
