import type { ContentCoding } from './content-coding.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Node's compression, where there is one: it knows Brotli, and costs less than `CompressionStream`, which every runtime
 * has.
 */
const zlib = globalThis.process?.getBuiltinModule?.('node:zlib');

/** What this runtime can produce; the smallest first. */
export const contentCodings: readonly ContentCoding[] = zlib ? ['br', 'gzip'] : ['gzip'];

/** Compresses well and off the event loop, for what is sent many times: a megabyte takes about 0.2 seconds. */
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

/** Restores what was compressed with gzip, off the event loop. */
export function decompress(gzipped: Bytes): Promise<Bytes> {
  return transform(gzipped, new DecompressionStream('gzip'));
}

/**
 * Compresses a text with gzip and little effort, for what is sent once. Short ones are compressed at once, in a tenth
 * of a millisecond, because to hand them to another thread takes as long; null if too many long ones are at work.
 */
export async function gzipQuickly(text: string): Promise<Bytes | null> {
  if (zlib && text.length <= maxImmediate) return zlib.gzipSync(text, fast);
  if (atWork === maxAtWork) return null;
  atWork += 1;
  try {
    return await gzipElsewhere(text);
  } finally {
    atWork -= 1;
  }
}

const fast = { level: 1 } as const;

/** In UTF-16 code units. */
const maxImmediate = 16_384;

/** Half of Node's threads: passwords and tokens are verified on the others. */
const maxAtWork = 2;
let atWork = 0;

function gzipElsewhere(text: string): Promise<Bytes> {
  if (!zlib) return transform(new TextEncoder().encode(text), new CompressionStream('gzip'));
  const { gzip } = zlib;
  return new Promise((resolve, reject) => {
    gzip(text, fast, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}

async function transform(content: Bytes, through: CompressionStream | DecompressionStream): Promise<Bytes> {
  const transformed = new Blob([content]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(transformed).arrayBuffer());
}
