// Files that the build turns into parts of the console (scripts/service/console-build.mjs).

declare module '*.css'
