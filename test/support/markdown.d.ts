// Pages as text, for tests inside workerd, which have no files.

declare module '*.md?raw' {
  const text: string
  export default text
}
