import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compress, contentCodings, decompress } from './compress.ts';

const text = 'All happy families are alike. '.repeat(2_000);
const bytes = new TextEncoder().encode(text);

it('compresses content in every coding, and restores it from gzip', async () => {
  expect(contentCodings).toEqual(['br', 'gzip']);
  const [brotli, gzip] = await Promise.all([compress(bytes, 'br'), compress(bytes, 'gzip')]);
  expect([brotliDecompressSync(brotli).toString(), gunzipSync(gzip).toString()]).toEqual([text, text]);
  expect(brotli.byteLength).toBeLessThan(gzip.byteLength);
  expect(new TextDecoder().decode(await decompress(gzip))).toBe(text);
});
