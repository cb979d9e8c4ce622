// Questions with a name (api/creation): each stands for the members of a creation that it fixes.

/** Presets by name. */
export const PRESETS = {
  /** The one question of the EU age verification app, which other wallets with an mdoc answer, too. */
  age_over_18: { credential_types: ['age_attestation'], scope: ['age_over_18'], formats: ['mso_mdoc'] },
} as const

export type Preset = keyof typeof PRESETS
export const PRESET_NAMES = ['age_over_18'] as const satisfies readonly Preset[]
