// The API reference: a page for each tag of the description, and one for the schemas.

import { inline, page, tableOf } from './markdown.mjs'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']
const SCHEMAS = '/reference/schemas.md'

/** Returns the group of pages. `description`: the parsed openapi.json. */
export function referencePages(description) {
  const operations = Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      method: method.toUpperCase(),
      path,
      shared: item.parameters ?? [],
      ...item[method],
    })),
  )
  const pages = description.tags.map(({ name, description: about }) =>
    tagPage(
      name,
      about,
      operations.filter(({ tags = [] }) => tags[0] === name),
      description,
    ),
  )
  return { text: 'API reference', folder: 'reference', pages: [...pages, schemasPage(description)] }
}

function tagPage(name, about, operations, description) {
  return page({
    path: `reference/${slug(name)}.md`,
    title: `API: ${name}`,
    description: `API reference: ${operations.map(({ summary }) => summary).join(', ')}`.slice(0, 300),
    blocks: [
      `# API: ${name}`,
      ...(about ? [inline(about)] : []),
      'The whole description: <a href="/openapi.json" download>openapi.json</a>.',
      ...operations.flatMap((operation) => operationBlocks(operation, description)),
    ],
  })
}

function operationBlocks(operation, description) {
  const { method, path, summary, description: about, security, requestBody, responses } = operation
  const parameters = [...operation.shared, ...(operation.parameters ?? [])].map((one) =>
    follow(one, description),
  )
  return [
    `## ${inline(summary)}`,
    `\`${method} ${path}\``,
    ...(about ? [inline(about)] : []),
    ...(security?.length ? [`Authorization: ${security.map(schemeText).join(', or ')}.`] : []),
    ...(parameters.length > 0
      ? ['**Parameters**', tableOf(['name', 'in', 'type', 'meaning'], parameters.map(parameterRow))]
      : []),
    ...(requestBody ? bodyBlocks(follow(requestBody, description), description) : []),
    '**Responses**',
    tableOf(
      ['status', 'body', 'meaning'],
      Object.entries(responses).map(([status, one]) => responseRow(status, follow(one, description))),
    ),
  ]
}

function schemeText(scheme) {
  const parts = Object.entries(scheme).map(([name, scopes]) => {
    const needed = scopes.length > 0 ? ` with ${scopes.map((one) => `\`${one}\``).join(', ')}` : ''
    return `\`${name}\`${needed}`
  })
  return parts.join(' and ') || 'none'
}

function parameterRow({ name, in: place, required, schema, description }) {
  return [
    `\`${name}\`${required ? ', required' : ''}`,
    place,
    typeOf(schema),
    inline(description ?? schema?.description),
  ]
}

function bodyBlocks({ content = {} }, description) {
  return Object.entries(content).flatMap(([type, { schema, example, examples = {} }]) => {
    const [first] = Object.values(examples).map((one) => follow(one, description).value)
    const shown = example ?? first
    const code = typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2)
    return [
      `**Body**: ${type}, ${typeOf(schema)}`,
      ...(shown === undefined ? [] : [`\`\`\`${type.endsWith('json') ? 'json' : 'text'}\n${code}\n\`\`\``]),
    ]
  })
}

function responseRow(status, { description, content = {} }) {
  const bodies = Object.entries(content).map(([type, { schema }]) => `${type}: ${typeOf(schema)}`)
  return [status, bodies.join('<br>') || '–', inline(description)]
}

function schemasPage({ components: { schemas } }) {
  return page({
    path: SCHEMAS.slice(1),
    title: 'API: Schemas',
    description: 'API reference: every object of requests, responses and events, with its members.',
    blocks: [
      '# API: Schemas',
      ...Object.entries(schemas).flatMap(([name, schema]) => [`## ${name}`, ...schemaBlocks(schema)]),
    ],
  })
}

function schemaBlocks(schema) {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    `\`${name}\`${schema.required?.includes(name) ? ', required' : ''}`,
    typeOf(member),
    inline(member.description),
  ])
  return [
    ...(schema.description ? [inline(schema.description)] : []),
    members.length > 0 ? tableOf(['member', 'type', 'meaning'], members) : `Type: ${typeOf(schema)}`,
  ]
}

/** Returns the type of a schema in words, with links to named schemas. */
function typeOf(schema = {}) {
  const { $ref, type, items, enum: values, const: only, anyOf, oneOf, allOf, format } = schema
  if ($ref !== undefined) return linkTo($ref)
  if (only !== undefined) return `\`${JSON.stringify(only).replaceAll('|', '\\|')}\``
  if (values !== undefined) return values.map((one) => `\`${JSON.stringify(one)}\``).join(', ')
  const several = anyOf ?? oneOf
  if (several !== undefined) return [...new Set(several.map(typeOf))].join(' or ')
  if (allOf !== undefined) return [...new Set(allOf.map(typeOf))].join(' and ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  return `${[type ?? 'any'].flat().join(' or ')}${format ? ` (${format})` : ''}`
}

function linkTo($ref) {
  const name = $ref.split('/').at(-1)
  return $ref.startsWith('#/components/schemas/') ? `[${name}](${SCHEMAS}#${slug(name)})` : name
}

/** Returns what `$ref` names within the description. */
function follow(value, description) {
  if (value?.$ref === undefined) return value
  return value.$ref
    .slice('#/'.length)
    .split('/')
    .reduce((part, key) => part[key.replaceAll('~1', '/')], description)
}

function slug(name) {
  return name.toLowerCase().replaceAll(' ', '-')
}
