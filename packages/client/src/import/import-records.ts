import type { FailedLine, ImportOutcome, Model } from '@x/entity';
import type { Failure, Success } from '@x/errors';
import type { EntityClient } from '../entity/entity-client.ts';
import type { AnyCall } from '../request/call.ts';
import { checked, type ClientError, type ClientResult, succeed } from '../request/send.ts';

/** The options of `importRecords`. */
export interface ImportOptions {
  /** The number of a line: it and those before it are skipped. Default: 0. */
  readonly resumeAfter?: number;
  /** Called after each part of the file. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Ends the import with `ABORTED`. Lines that were sent may be dealt with nevertheless. */
  readonly signal?: AbortSignal;
}

/** How far an import is. */
export interface ImportProgress extends ImportOutcome {
  /** The part of the file that is dealt with, from 0 to 1. */
  readonly fraction: number;
}

/** Why an import ended before its last line; `meta` says how far it came. */
export type ImportFailure = Failure<ClientError & { readonly meta: ImportOutcome }>;

/**
 * Creates records from the lines of a file, each a record in JSON, as `GET /api/<entity>/export` gives them. A line
 * that is refused changes nothing, and the next one follows. Requires an `import` rule.
 *
 * The file is read and sent in parts of some hundred lines, so an import may be of any size and take longer than a JWT
 * is valid. After a failure, `resumeAfter` of its `meta` continues the import; without a response (`NETWORK_FAILED`,
 * `ABORTED`), lines after it may have been dealt with: those with an `id` or a unique key are then `CONFLICT`.
 *
 * @example
 * ```ts
 * const imported = await importRecords(client.entities.tasks, file, {
 *   onProgress: ({ fraction }) => console.log(fraction),
 * });
 * if (imported.ok) for (const { line, error } of imported.data.failed) console.log(line, error.message);
 * else console.log(imported.error.code, imported.error.meta.resumeAfter);
 * ```
 */
export async function importRecords<M extends Model>(
  entity: Pick<EntityClient<M>, 'session'>,
  file: Blob,
  { resumeAfter = 0, onProgress, signal }: ImportOptions = {},
): Promise<Success<ImportOutcome> | ImportFailure> {
  const send = (entity as unknown as { readonly import: AnyCall }).import;
  let outcome: ImportOutcome = { created: 0, failed: [], resumeAfter };
  let before = 0;
  for await (const { lines, count, end } of parts(file)) {
    if (before + count > resumeAfter) {
      const query = { resumeAfter: Math.max(resumeAfter - before, 0) };
      const result: ClientResult<ImportOutcome> = checked(await send(lines, { query, signal }), isOutcome);
      const part = result.ok ? result.data : result.error.meta;
      if (isOutcome(part)) outcome = add(outcome, before, part);
      if (!result.ok) {
        // What the part has created before it failed is new to lists as well.
        entity.session.touched.emit(['', { method: 'POST' }, result]);
        return { ...result, error: { ...result.error, meta: { ...result.error.meta, ...outcome } } };
      }
    }
    before += count;
    onProgress?.({ ...outcome, fraction: end / file.size });
  }
  return succeed(outcome);
}

/** Some whole lines of a file. */
interface Part {
  readonly lines: Blob;
  readonly count: number;
  /** Where they end, in bytes from the start of the file. */
  readonly end: number;
}

/** How much of a file is sent at once: what takes about a second, so that progress shows. */
const partBytes = 64 * 1024;

async function* parts(file: Blob): AsyncGenerator<Part, void> {
  let start = 0;
  for (let size = partBytes; start < file.size;) {
    const bytes = new Uint8Array(await file.slice(start, start + size).arrayBuffer());
    const isLast = start + size >= file.size;
    const length = isLast ? bytes.length : bytes.lastIndexOf(lineFeed) + 1;
    if (length === 0) {
      // A line that is longer than the part.
      size *= 2;
      continue;
    }
    const whole = bytes.subarray(0, length);
    const count = whole.reduce((sum, byte) => sum + Number(byte === lineFeed), Number(whole.at(-1) !== lineFeed));
    start += length;
    size = partBytes;
    yield { lines: new Blob([whole], { type: 'application/x-ndjson' }), count, end: start };
  }
}

const lineFeed = 10;

/** As many refused lines as one outcome names. */
const maxFailed = 1000;

function isOutcome(body: object | null | undefined): body is ImportOutcome {
  return Array.isArray((body as Partial<ImportOutcome> | null | undefined)?.failed);
}

/** Adds the outcome of a part whose lines come after some others. */
function add(sum: ImportOutcome, before: number, part: ImportOutcome): ImportOutcome {
  const failed: readonly FailedLine[] = [
    ...sum.failed,
    ...part.failed.map(({ line, error }) => ({ line: before + line, error })),
  ];
  const failedTotal = (sum.failedTotal ?? sum.failed.length) + (part.failedTotal ?? part.failed.length);
  return {
    created: sum.created + part.created,
    failed: failed.slice(0, maxFailed),
    ...(failedTotal > Math.min(failed.length, maxFailed) && { failedTotal }),
    resumeAfter: before + part.resumeAfter,
  };
}
