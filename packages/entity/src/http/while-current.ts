import type { Awaitable } from '@x/errors';
import type { Clock } from '@x/store';

/** How often it is made sure that the caller of a long request is still who they were, in milliseconds. */
const checkMs = 60_000;

/** Lines that a caller sends, and how to watch who that is. */
interface WatchedLines<Line> {
  readonly lines: AsyncIterable<Line>;
  /** Returns a check, which throws once the caller is no longer who they were. */
  readonly watch: () => Awaitable<() => Awaitable<void>>;
  readonly clock: Clock;
}

/** Passes on the lines that a caller sends, until a check fails. */
export async function* whileCurrent<Line>({ lines, watch, clock }: WatchedLines<Line>): AsyncGenerator<Line, void> {
  const check = await watch();
  let checkedAt = clock.now().getTime();
  for await (const line of lines) {
    const now = clock.now().getTime();
    if (now - checkedAt >= checkMs) {
      await check();
      checkedAt = now;
    }
    yield line;
  }
}
