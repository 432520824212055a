import { promisify } from 'node:util'
import { brotliDecompress, unzip, type ZlibOptions } from 'node:zlib'

type Decompress = (packed: Buffer, options: ZlibOptions) => Promise<Buffer>

/** By Content-Encoding. */
const packings = new Map<string, Decompress>([
  ['gzip', promisify<Buffer, ZlibOptions, Buffer>(unzip)],
  ['deflate', promisify<Buffer, ZlibOptions, Buffer>(unzip)],
  ['br', promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress)],
])

export function canUnpack(encoding: string): boolean {
  return packings.has(encoding)
}

/** What was packed so, if it is no more than so many bytes. */
export async function unpack(
  packed: Buffer,
  encoding: string,
  mostBytes: number,
): Promise<Buffer | 'too large' | 'malformed'> {
  try {
    return await packings.get(encoding)!(packed, { maxOutputLength: mostBytes })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'too large'
    if (/^(Z_|ERR__|ERR_BROTLI)/.test(code ?? '')) return 'malformed'
    throw error
  }
}
