import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** One script with all that the page needs, beside the page. */
export default defineConfig({
  entry: [here('app.ts')],
  outDir: here('dist'),
  tsconfig: here('../tsconfig.json'),
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  noExternal: () => true,
  dts: false,
  minify: true,
  copy: [here('index.html')],
})
