import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/signing.ts', 'src/viem.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  sourcemap: true,
  fixedExtension: false,
  plugins: [
    {
      // The printer of declarations puts a comment of one line behind the member before it. TypeScript takes it for
      // that one's then, and editors show nothing for the member that it is about.
      name: 'comments-before-members',
      generateBundle: {
        order: 'post',
        handler(_options, bundle) {
          for (const file of Object.values(bundle)) {
            if (file.type === 'chunk' && /\.d\.[cm]?ts$/.test(file.fileName)) {
              file.code = file.code.replace(/^( *)(.*\S) (\/\*\* .* \*\/)$/gm, '$1$2\n$1$3')
            }
          }
        },
      },
    },
  ],
})
