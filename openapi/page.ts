// The description as one page that reads from top to bottom: every call by section, then the schemas that calls refer to.

import { html } from 'hono/html'
import {
  type Content,
  type Description,
  isError,
  limitsOf,
  nameOf,
  type Operation,
  type Schema,
} from './description.ts'

/** HTML made by `html`, which escapes what it is given. */
type Markup = ReturnType<typeof html>

/** The page's HTML. It is the same for everybody. */
export async function documentationPage(description: Description): Promise<string> {
  const { info, tags, components, webhooks } = description
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${info.title}: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/docs.css">
</head>
<body>
<main>
<h1>${info.title}</h1>
<p>${prose(info.description)}</p>
<p><a href="/openapi.json">openapi.json</a>, for tools (OpenAPI 3.1)</p>
<nav aria-label="Sections"><ul>
${[...tags.map(({ name }) => name), 'Webhooks', 'Schemas'].map(
  (name) => html`<li><a href="#${anchor(name)}">${name}</a></li>`,
)}
</ul></nav>
${tags.map(({ name }) => section(name, operationsOf(description, name)))}
${section(
  'Webhooks',
  Object.values(webhooks).map(({ post }) => call('POST', 'your webhook', post, description)),
)}
${section('Schemas', Object.entries(components.schemas).map(component))}
</main>
</body>
</html>
`
  return (await page).toString()
}

function section(name: string, content: readonly Markup[]): Markup {
  return html`<section aria-labelledby="${anchor(name)}"><h2 id="${anchor(name)}">${name}</h2>
${content}</section>
`
}

function operationsOf(description: Description, tag: string): readonly Markup[] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => call(method.toUpperCase(), path, operation, description)),
  )
}

type Call = Omit<Operation, 'tags' | 'security' | 'operationId'> & Partial<Operation>

function call(method: string, path: string, operation: Call, description: Description): Markup {
  const { summary, parameters = [], requestBody, responses, security } = operation
  const answers = Object.entries(responses)
  const refused = answers.flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ schema, examples = {} }) =>
      isError(schema) ? [refusals(status, Object.keys(examples), description)] : [],
    ),
  )
  return html`<details>
<summary><b class="${method}">${method}</b> <code>${path}</code> <span>${summary}</span></summary>
${operation.description && html`<p>${prose(operation.description)}</p>`}
${security && html`<p class="soft">${caller(security)}</p>`}
${
  parameters.length > 0 &&
  html`<h3>Parameters</h3>
<dl>${parameters.map((each) => member(each.name, each.schema, { note: each.in, text: each.description }))}</dl>`
}
${requestBody && html`<h3>Body</h3>${bodies(requestBody.content, description)}`}
<h3>Answers</h3>
${answers
  .filter(
    ([, { content = {} }]) =>
      !Object.values(content).every(({ schema }) => isError(schema)) || Object.keys(content).length === 0,
  )
  .map(
    ([status, answer]) => html`<p><b>${status}</b> ${prose(answer.description)}</p>
${bodies(answer.content ?? {}, description)}`,
  )}
${
  refused.length > 0 &&
  html`<h3>Refusals</h3>
<dl>${refused}</dl>`
}
</details>
`
}

/** Who may call: one of these. */
function caller(security: Operation['security']): string {
  if (security.length === 0) return 'Needs no credential.'
  const ways = security.flatMap((requirement) => {
    const ways = Object.entries(requirement)
    return ways.length === 0
      ? ['client_secret in the form']
      : ways.map(([scheme, scopes]) => [scheme, ...scopes].join(' '))
  })
  return `Needs ${ways.join(', or ')}`
}

function bodies(content: Content, { components }: Description): readonly Markup[] {
  return Object.entries(content).map(
    ([
      type,
      { schema, examples = {} },
    ]) => html`<p class="soft">${type}${schema && html`: ${typeOf(schema)}`}</p>
${Object.values(examples).map(({ $ref }) => example(components.examples[nameOf($ref)]?.value))}`,
  )
}

function example(value: unknown): Markup {
  return html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`
}

/** Problems have a page each; what wallets and OAuth clients are told has only its words. */
function refusals(status: string, names: readonly string[], { components }: Description): Markup {
  return html`<dt>${status}</dt><dd><ul>${names.map((name) => html`<li>${refusal(name, components)}</li>`)}</ul></dd>`
}

function refusal(name: string, { examples }: Description['components']): Markup {
  const value = examples[name]?.value as { title?: string; error?: string; error_description?: string }
  return value.error === undefined
    ? html`<a href="/problems/${name}"><code>${name}</code></a> ${value.title}`
    : html`<code>${value.error}</code> ${value.error_description}`
}

function component([name, schema]: [string, Schema]): Markup {
  return html`<details>
<summary><code>${name}</code></summary>
<div id="${anchor(name)}">${shape(schema)}</div>
</details>
`
}

/** What a schema holds: its members, those of its items, or nothing that its type does not say. */
function shape(schema: Schema): Markup | undefined {
  if (schema.items !== undefined) return shape(schema.items)
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].map((part) =>
    part.$ref === undefined ? shape(part) : html`<p>${typeOf(part)}</p>`,
  )
  if (schema.properties === undefined) {
    if (typeof schema.additionalProperties === 'object') return shape(schema.additionalProperties)
    return parts.some((part) => part !== undefined) ? html`${parts}` : undefined
  }
  const { required = [] } = schema
  return html`<dl>${Object.entries(schema.properties).map(([name, each]) =>
    member(name, each, { note: required.includes(name) ? '' : 'optional', text: each.description }),
  )}</dl>`
}

function member(
  name: string,
  schema: Schema,
  { note, text }: { readonly note: string; readonly text: string | undefined },
): Markup {
  const limits = [note, ...limitsOf(schema)].filter((word) => word !== '').join(', ')
  return html`<dt><code>${name}</code></dt>
<dd>${typeOf(schema)}${limits && html` <span class="soft">${limits}</span>`}${text && html`<br>${prose(text)}`}${shape(schema)}</dd>`
}

/** A schema's type in words; a named one as a link. */
function typeOf(schema: Schema): Markup {
  const { $ref, type, anyOf, allOf, items, additionalProperties } = schema
  if ($ref !== undefined) return html`<a href="#${anchor(nameOf($ref))}">${nameOf($ref)}</a>`
  if (schema.enum !== undefined)
    return html`${schema.enum.map((value, i) => html`${i > 0 && ' | '}<code>${String(value)}</code>`)}`
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`
  if (anyOf !== undefined) return html`${anyOf.map((each, i) => html`${i > 0 && ' or '}${typeOf(each)}`)}`
  if (allOf !== undefined) return html`object`
  if (items !== undefined) return html`list of ${typeOf(items)}`
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    return html`object of ${typeOf(additionalProperties)}`
  }
  return html`${type === undefined ? 'anything' : [type].flat().join(' or ')}`
}

/** Text with `code` in it. */
function prose(text: string): readonly (Markup | string)[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))
}

function anchor(name: string): string {
  return name.replace(/\W+/g, '-')
}
