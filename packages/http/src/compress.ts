import type { ContentCoding } from './content-coding.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Node's compression, where there is one: it knows Brotli, and costs less than `CompressionStream`, which every runtime
 * has.
 */
const zlib = globalThis.process?.getBuiltinModule?.('node:zlib');

/** The codings that this runtime can produce; the smallest first. */
export const contentCodings: readonly ContentCoding[] = zlib ? ['br', 'gzip'] : ['gzip'];

/** Compresses well and off the event loop, for content that is sent many times: a megabyte takes about 0.2 seconds. */
export async function compress(content: Bytes, coding: ContentCoding): Promise<Bytes> {
  if (coding === 'gzip') return transform(content, new CompressionStream('gzip'));
  if (!zlib) throw new TypeError('This runtime has no Brotli.');
  const { brotliCompress, constants } = zlib;
  // 11, the highest, saves another tenth in ten times the time.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength };
  return new Promise((resolve, reject) => {
    brotliCompress(content, { params }, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}

/** Decompresses gzip, off the event loop. */
export function decompress(gzipped: Bytes): Promise<Bytes> {
  return transform(gzipped, new DecompressionStream('gzip'));
}

async function transform(content: Bytes, through: CompressionStream | DecompressionStream): Promise<Bytes> {
  const transformed = new Blob([content]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(transformed).arrayBuffer());
}
