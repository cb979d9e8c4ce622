// Files as text, for tests inside workerd, which have no file system.

declare module '*.md?raw' {
  const text: string
  export default text
}

declare module '*.ts?raw' {
  const text: string
  export default text
}
