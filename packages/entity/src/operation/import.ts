import { CodedError, type ErrorBody } from '@x/errors';
import type { FailedLine, ImportOutcome } from '../action/entity-api.ts';
import { authorizeOperation } from '../authorization/open-authorization.ts';
import { type Call, openNextCall, undoable } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { invalidQuery, refuseOthers } from '../query/query-terms.ts';
import { createRecord } from './create.ts';

/**
 * One line of an import: a function that returns the record, or throws a `CodedError` if there is none. Null for a line
 * without content, which is counted and skipped.
 */
export type ImportLine = (() => unknown) | null;

/**
 * Creates records from lines, in their order. Each is created as if it came alone, in a transaction of its own, except
 * that its `id` is taken if it has one: a line that is refused changes nothing, and the next one follows. The lines are
 * read as they are needed, so any number of them takes the same memory.
 *
 * If the lines end with an error, or the store fails, the lines before that stay. The `meta` of the error says what an
 * outcome would have said.
 *
 * @param query - `resumeAfter`, the number of a line: it and those before it are skipped
 * @throws CodedError
 */
export async function importRecords(
  call: Call,
  entity: Entity,
  { lines, query }: { readonly lines: AsyncIterable<ImportLine>; readonly query: Readonly<Record<string, unknown>> },
): Promise<ImportOutcome> {
  for (const operation of ['import', 'create'] as const) authorizeOperation(call, entity, operation);
  const progress = new Progress(parseResumeAfter(query));
  try {
    let number = 0;
    for await (const line of lines) {
      number += 1;
      if (number > progress.resumeAfter) progress.note(number, line && (await importLine(call, entity, line)));
      await progress.yield();
    }
  } catch (error) {
    throw withProgress(error, progress);
  }
  return progress.toOutcome();
}

function parseResumeAfter({ resumeAfter = 0, ...others }: Readonly<Record<string, unknown>>): number {
  refuseOthers(others);
  const number = typeof resumeAfter === 'string' && /^\d{1,16}$/.test(resumeAfter) ? Number(resumeAfter) : resumeAfter;
  if (Number.isSafeInteger(number) && Number(number) >= 0) return Number(number);
  throw invalidQuery(['resumeAfter'], 'The number of a line is expected.');
}

/** Creates the record of one line, in a call of its own; returns the error if it is refused. */
async function importLine(call: Call, entity: Entity, line: () => unknown): Promise<CodedError | 'created'> {
  try {
    const source = call.actor.type === 'system' ? 'system' : 'import';
    await undoable(openNextCall(call), (inside) => createRecord(inside, entity, line(), source));
    return 'created';
  } catch (error) {
    if (error instanceof CodedError && error.code !== 'SERVICE_UNAVAILABLE') return error;
    // All lines that follow would fail as well.
    if (error instanceof CodedError) throw error;
    call.context.logger.error({ err: error, entity: entity.name }, 'a line of an import failed');
    return new CodedError('INTERNAL_ERROR', 'Something went wrong.');
  }
}

/** The most lines that an outcome names. */
const maxFailed = 1000;

/** The most characters of their errors: an error of a long line may be as long. */
const maxFailedLength = 2 ** 20;

/** How long lines are dealt with before other work of this process gets a turn, in milliseconds. */
const maxTurnMs = 5;

/** What an import has done so far. */
class Progress {
  readonly #failed: FailedLine[] = [];
  #created = 0;
  #failedTotal = 0;
  #failedLength = 0;
  #resumeAfter: number;
  #turnEndsAt = performance.now() + maxTurnMs;

  constructor(resumeAfter: number) {
    this.#resumeAfter = resumeAfter;
  }

  get resumeAfter(): number {
    return this.#resumeAfter;
  }

  /** Notes that a line was dealt with; null for a line without content. */
  note(line: number, result: CodedError | 'created' | null): void {
    this.#resumeAfter = line;
    if (result === 'created') this.#created += 1;
    else if (result !== null) this.#noteFailed(line, result.toBody());
  }

  toOutcome(): ImportOutcome {
    const [created, failed, failedTotal, resumeAfter] = [
      this.#created,
      this.#failed,
      this.#failedTotal,
      this.#resumeAfter,
    ];
    return { created, failed, ...(failedTotal > failed.length && { failedTotal }), resumeAfter };
  }

  /** Gives other work a turn, if the lines have taken theirs: lines that are refused wait for nothing else. */
  async yield(): Promise<void> {
    if (performance.now() < this.#turnEndsAt) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnEndsAt = performance.now() + maxTurnMs;
  }

  #noteFailed(line: number, error: ErrorBody): void {
    this.#failedTotal += 1;
    // Once one was left out, all that follow are, so that the outcome names the first ones.
    if (this.#failed.length < this.#failedTotal - 1 || this.#failed.length === maxFailed) return;
    this.#failedLength += JSON.stringify(error).length;
    if (this.#failedLength <= maxFailedLength || this.#failed.length === 0) this.#failed.push({ line, error });
  }
}

/** Says in an error how far the import came; others are returned unchanged. */
function withProgress(error: unknown, progress: Progress): unknown {
  if (!(error instanceof CodedError)) return error;
  const { code, message, extras } = error;
  const meta = { ...extras.meta, ...progress.toOutcome() };
  return new CodedError(code, message, { ...extras, meta, cause: error.cause ?? error });
}
