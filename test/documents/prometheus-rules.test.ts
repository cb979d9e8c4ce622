// docs/prometheus.rules.yml, read by the tool of Prometheus itself.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isMissing, promtool, RULES } from '../support/service/prometheus.ts'

const TESTS = join(import.meta.dirname, 'rules/prometheus.rules.test.yml')
/** Expression of the rule for certificates that expire. */
const BY_WARNING =
  /wallet_verifier_warning\{code=~"\(verifier\|relying_party\)_certificate_expires_soon"\} > 0/

describe.skipIf(isMissing('promtool'))('the alert rules', () => {
  it('are accepted by promtool, if promtool is installed', () => {
    const { status, output } = promtool('check', 'rules', RULES)
    expect(status, output).toBe(0)
  })

  it('fire and clear as their unit tests expect, if promtool is installed', () => {
    const { status, output } = testRules(readFileSync(RULES, 'utf8'))
    expect(status, output).toBe(0)
  })

  it('fail their unit tests if the rule about certificates uses a fixed number of days, if promtool is installed', () => {
    const text = readFileSync(RULES, 'utf8')
    const changed = text.replace(BY_WARNING, 'wallet_verifier_certificate_expires_in_seconds < 30 * 86400')
    expect(changed).not.toBe(text)
    expect(testRules(changed).status).not.toBe(0)
  })
})

/** Runs the unit tests against a text of rules. */
function testRules(rules: string) {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  writeFileSync(join(folder, 'prometheus.rules.yml'), rules)
  copyFileSync(TESTS, join(folder, 'tests.yml'))
  const result = promtool('test', 'rules', join(folder, 'tests.yml'))
  rmSync(folder, { recursive: true })
  return result
}
