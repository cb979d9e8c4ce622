// The script of /docs. The build puts it behind the renderer, openapi-explorer, so the renderer's elements
// are defined here (scripts/service/reference.mjs). The page has an opaque origin: no cookie and no storage.

/**
 * @typedef {{
 *   readonly example?: unknown,
 *   readonly examples?: Readonly<Record<string, { readonly $ref: string }>>,
 * }} Media
 * @typedef {{
 *   readonly security?: readonly object[],
 *   readonly requestBody?: { readonly content: Readonly<Record<string, Media>> },
 *   'x-code-samples'?: readonly object[],
 * }} Operation
 * @typedef {{
 *   readonly examples: Readonly<Record<string, { readonly value: unknown }>>,
 *   readonly securitySchemes: Readonly<Record<string, { readonly type: string, readonly scheme?: string }>>,
 * }} Components
 * @typedef {{
 *   readonly servers: readonly { readonly url: string }[],
 *   readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
 *   readonly components: Components,
 * }} Description
 * @typedef {{ componentKeyId: string }} Section
 * @typedef {HTMLElement & {
 *   renderStyle: string,
 *   handleResize: () => void,
 *   loadSpec: (description: Description) => Promise<void>,
 * }} Explorer
 * @typedef {{ readonly elementStyles: CSSStyleSheet[], readonly prototype: Explorer }} Renderer
 */

const PHONE = '@media (max-width: 767.98px)'
/** Style of the tables of parameters. On a phone their cells stand one below the other. */
const TABLE = `${PHONE} {
  td { display: block; width: auto !important }
  .param-name, .param-type { text-align: left }
}`
/** Styles that are added to the renderer's own, by the name of the element. */
const STYLES = {
  'openapi-explorer': `
    h2, .nav-bar-tag, .nav-bar-info { font-weight: 600 }
    .nav-bar-tag, .nav-bar-info { padding-block: 0.6rem }
    .nav-bar-path, .nav-bar-tag, .nav-bar-info { overflow-wrap: anywhere }
    :focus-visible { outline: 2px solid var(--secondary-color) !important; outline-offset: -2px }
    ${PHONE} {
      .body { flex-direction: column }
      .nav-bar { display: flex; width: 100%; height: 33%; flex-shrink: 0 }
      .main-content { height: auto; min-height: 0 }
      .section-gap--focused-mode { padding: 1rem }
      .dialog-box { width: 94vw; top: 1rem }
    }`,
  'api-request': TABLE,
  'api-response': TABLE,
  'schema-table': `
    .table .key { width: 36%; max-width: 36% }
    .table .key-type { width: 20%; max-width: 20%; overflow-wrap: anywhere }
    .table .key-descr { flex: 1 }
    ${PHONE} {
      .tr { display: flex; flex-wrap: wrap; width: 100% }
      .table .key { width: auto; max-width: 100%; flex: 1 1 55%; overflow-wrap: anywhere }
      .table .key-type { width: auto; max-width: 45% }
      .table .key-descr { display: block; flex: 1 1 100%; padding-left: 2.5rem }
      .key-descr[part~='schema-table-header'] { display: none }
    }`,
}

/**
 * Options of curl, by the scheme of a credential.
 * @type {Readonly<Record<string, string>>}
 */
const CREDENTIALS = {
  basic: "--user 'NAME:SECRET'",
  bearer: "--header 'Authorization: Bearer TOKEN'",
  oauth2: "--header 'Authorization: Bearer TOKEN'",
}

for (const [name, css] of Object.entries(STYLES)) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  rendererOf(name).elementStyles.push(sheet)
}
// The renderer's other layout, for phones, has no search and no descriptions of parameters.
rendererOf('openapi-explorer').prototype.handleResize = function () {
  this.renderStyle = 'focused'
}
showReference()

/** @param {string} name */
function rendererOf(name) {
  return /** @type {Renderer} */ (/** @type {unknown} */ (customElements.get(name)))
}

async function showReference() {
  const response = await fetch('/openapi.json', { credentials: 'omit' })
  const description = /** @type {Description} */ (JSON.parse(await response.text(), nullAsText))
  addCommands(description)
  const explorer = /** @type {Explorer} */ (document.createElement('openapi-explorer'))
  for (const name of ['hide-authentication', 'hide-console', 'hide-server-selection', 'display-nulls']) {
    explorer.setAttribute(name, '')
  }
  explorer.addEventListener('spec-loaded', removeExamples)
  document.body.replaceChildren(explorer)
  await explorer.loadSpec(description)
  explorer.shadowRoot?.querySelector('main')?.setAttribute('tabindex', '0') // scrolls by keys
}

/**
 * Says "or null" of an object or a list in words: the renderer shows two alternatives.
 * @param {string} _key
 * @param {unknown} value
 */
function nullAsText(_key, value) {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value
  const { type, description = '' } = /** @type {{ type: unknown, description?: string }} */ (value)
  if (!Array.isArray(type) || type[1] !== 'null' || !['object', 'array'].includes(type[0])) return value
  return { ...value, type: type[0], description: `${description} Can be null.`.trim() }
}

/**
 * Removes the list of examples: each is shown beside its operation.
 * @param {Event} event
 */
function removeExamples(event) {
  const { detail } = /** @type {CustomEvent<{ components: Section[] }>} */ (event)
  detail.components = detail.components.filter(({ componentKeyId }) => componentKeyId !== 'examples')
}

/**
 * Adds a curl command to each operation.
 * @param {Description} description
 */
function addCommands({ servers, paths, components }) {
  const base = (servers[0]?.url ?? '').replace(/\/$/, '')
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const source = commandFor(method, base + path, operation, components)
      operation['x-code-samples'] = [{ lang: 'shell', label: 'curl', source }]
    }
  }
}

/**
 * @param {string} method
 * @param {string} url
 * @param {Operation} operation
 * @param {Components} components
 */
function commandFor(method, url, { security, requestBody }, { examples, securitySchemes }) {
  const schemes = Object.keys(security?.[0] ?? {}).map((name) => securitySchemes[name])
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const named =
    Object.values(media?.examples ?? {})[0]
      ?.$ref.split('/')
      .at(-1) ?? ''
  return [
    `curl ${quote(url)}`,
    ...(method === 'get' ? [] : [`--request ${method.toUpperCase()}`]),
    ...schemes.flatMap((scheme) => CREDENTIALS[scheme?.scheme ?? scheme?.type ?? ''] ?? []),
    ...(type === undefined ? [] : [`--header ${quote(`Content-Type: ${type}`)}`]),
    ...(type === undefined
      ? []
      : [`--data ${quote(bodyText(type, examples[named]?.value ?? media?.example))}`]),
  ].join(' \\\n  ')
}

/**
 * @param {string} type
 * @param {unknown} body
 */
function bodyText(type, body) {
  if (type === 'application/x-www-form-urlencoded')
    return String(new URLSearchParams(/** @type {Record<string, string>} */ (body)))
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
}

/** @param {string} text */
function quote(text) {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
