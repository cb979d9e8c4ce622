// Survivors of mutation testing, and the survivors that test/mutation/explained.json explains.

/**
 * Mutants of one file that no test noticed: the line with its number and text, and the change in it. White
 * space is shortened.
 */
export function survivorsOf(source, mutants) {
  const lines = source.split('\n')
  return mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ location: { start, end }, replacement, mutatorName }) => ({
      at: start.line,
      line: lines[start.line - 1].trim(),
      original: textBetween(lines, start, end),
      replacement: (replacement ?? mutatorName).replaceAll(/\s+/g, ' '),
    }))
}

/** Survivors that no row explains. One row explains one change, in the line that it has. */
export function unexplainedSurvivors(file, survivors, explained) {
  const left = explained.filter((row) => row.file === file)
  return survivors.filter((survivor) => {
    const index = left.findIndex((row) =>
      ['line', 'original', 'replacement'].every((member) => row[member] === survivor[member]),
    )
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function textBetween(lines, start, end) {
  const inside = lines.slice(start.line - 1, end.line)
  inside[inside.length - 1] = inside.at(-1).slice(0, end.column - 1)
  inside[0] = inside[0].slice(start.column - 1)
  return inside.join('\n').replaceAll(/\s+/g, ' ')
}
