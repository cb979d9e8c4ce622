// An OpenAPI description (3.1), as far as the tests read it.

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** Values of a list that may grow. */
  readonly 'x-extensible-enum'?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly not?: Schema
  readonly if?: Schema
  readonly then?: Schema
  readonly else?: Schema
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minimum?: number
  readonly maximum?: number
}

export type Ref = { readonly $ref: string }
export type Content = Readonly<
  Record<string, { readonly schema?: Schema; readonly examples?: Readonly<Record<string, Ref>> }>
>

export type Response = {
  readonly description: string
  readonly content?: Content
  readonly links?: Readonly<
    Record<string, { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> }>
  >
}

export type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

export type Description = {
  readonly info: { readonly title: string; readonly description: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Omit<Operation, 'tags' | 'security'> }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
  }
}

/** Returns whether a body is a problem or an OAuth error. */
export function isError(schema: Schema | undefined): boolean {
  return /(Problem|OAuthError)$/.test(schema?.$ref ?? '')
}
