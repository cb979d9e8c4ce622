// Modules of files as text, for tests inside workerd, which has no file system.

declare module '*.md?raw' {
  const text: string
  export default text
}

declare module '*.ts?raw' {
  const text: string
  export default text
}
