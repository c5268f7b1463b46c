/** Does one thing again and again. */
export interface Schedule {
  /** Starts the schedule, unless it runs already. */
  start(): void;
  /** Ends the schedule, and waits for a run that is under way. */
  stop(): Promise<void>;
}

/** What a schedule works with. */
export interface ScheduleOptions {
  /** Told by the signal that the schedule is ending. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  /** How long it waits before each run, the first included. */
  readonly pauseMs: number;
  /** Hears of a run that failed; the next one comes as ever. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Creates a schedule that waits, runs, and waits again. Each pause is up to a fifth shorter or longer, so that processes
 * that started together drift apart.
 */
export function createSchedule({ run, pauseMs, onFailure }: ScheduleOptions): Schedule {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | number | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const wait = (): void => {
    timer = startTimer(() => void (underWay = runOnce()), pauseMs * (0.8 + Math.random() * 0.4));
  };
  const runOnce = async (): Promise<void> => {
    try {
      await run(ending.signal);
    } catch (error) {
      onFailure(error);
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

/** Starts a timer that keeps no process alive. Those of other runtimes than Node are numbers, which need no telling. */
function startTimer(run: () => void, milliseconds: number): NodeJS.Timeout | number {
  const timer: NodeJS.Timeout | number = setTimeout(run, milliseconds);
  if (typeof timer === 'object') timer.unref();
  return timer;
}
