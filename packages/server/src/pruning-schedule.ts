import type { Logger } from '@x/errors';

/** Prunes again and again. */
export interface PruningSchedule {
  /** Starts the schedule, unless it runs already. */
  start(): void;
  /** Ends the schedule, and a pruning that is under way after its batch. */
  stop(): Promise<void>;
}

/** What a schedule works with. */
export interface PruningScheduleOptions {
  readonly prune: (signal: AbortSignal) => Promise<unknown>;
  readonly logger: Logger;
  /** How long it waits before each pruning, the first included. Default ten minutes. */
  readonly pauseMs?: number;
}

/**
 * Creates a schedule that prunes, waits, and prunes again. Each pause is up to a fifth shorter or longer, so that
 * processes that started together drift apart. A pruning that fails is logged, and the next one comes as ever.
 */
export function createPruningSchedule({
  prune,
  logger,
  pauseMs = tenMinutes,
}: PruningScheduleOptions): PruningSchedule {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | number | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const wait = (): void => {
    timer = startTimer(() => void (underWay = run()), pauseMs * (0.8 + Math.random() * 0.4));
  };
  const run = async (): Promise<void> => {
    try {
      await prune(ending.signal);
    } catch (err) {
      logger.warn({ err }, 'pruning failed');
    }
    if (!ending.signal.aborted) wait();
  };
  return {
    start() {
      if (timer === undefined && !ending.signal.aborted) wait();
    },
    async stop() {
      ending.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}

const tenMinutes = 600_000;

/** Starts a timer that keeps no process alive. Those of other runtimes than Node are numbers, which need no telling. */
function startTimer(run: () => void, milliseconds: number): NodeJS.Timeout | number {
  const timer: NodeJS.Timeout | number = setTimeout(run, milliseconds);
  if (typeof timer === 'object') timer.unref();
  return timer;
}
