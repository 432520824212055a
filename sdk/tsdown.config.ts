import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/signing.ts', 'src/viem.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  sourcemap: true,
  fixedExtension: false,
})
