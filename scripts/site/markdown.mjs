// Reads and writes parts of Markdown.

/** Returns the first heading as plain text. */
export function titleOf(text) {
  return (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '')
}

/**
 * Returns the tables of a page: `heading` (the nearest above), `head`, and `rows`, each with the text of its
 * cells.
 */
export function tablesOf(text) {
  const tables = []
  let heading = ''
  let table
  for (const line of text.split('\n')) {
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
    if (!line.startsWith('|')) table = undefined
    else if (table === undefined) {
      table = { heading, head: cellsOf(line), rows: [] }
      tables.push(table)
    } else if (!/^\|[\s:|-]+$/.test(line)) table.rows.push(cellsOf(line))
  }
  return tables
}

function cellsOf(line) {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}

/** Returns a table as Markdown. */
export function tableOf(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Returns text of a description as one line that is safe in a table: no tag, no cell border. */
export function inline(text = '') {
  const parts = text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .split(/(`[^`]*`)/)
  return parts
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('')
    .replaceAll('|', '\\|')
}

/** Returns the first page of a group, with a link to each page. */
export function groupPage({ text, folder, pages }) {
  const links = pages.map(({ path, title, description }) => [`[${title}](/${path})`, inline(description)])
  return page({
    path: `${folder}/index.md`,
    title: text,
    description: `${text}: a page for each.`,
    blocks: [`# ${text}`, tableOf(['page', 'about'], links)],
  })
}

/** Returns a page with a title for the browser, a description for search engines, and its text. */
export function page({ path, title, description, blocks }) {
  const head = [
    '---',
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description)}`,
    '---',
  ]
  return { path, title, description, text: `${[head.join('\n'), ...blocks].join('\n\n')}\n` }
}
