/** Repeats one task. */
export interface Schedule {
  /** Starts the schedule, unless it is running. */
  start(): void;
  /** Ends the schedule, and waits for a run in progress. */
  stop(): Promise<void>;
}

/** The options of a schedule. */
export interface ScheduleOptions {
  /** The task; the signal is aborted when the schedule ends. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  /** How long to wait before each run, including the first. */
  readonly pauseMs: number;
  /** Called when a run fails; the next one takes place as usual. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Creates a schedule that waits, runs, and waits again. Each pause is randomly up to a fifth shorter or longer, so that
 * processes that started together drift apart.
 */
export function createSchedule({ run, pauseMs, onFailure }: ScheduleOptions): Schedule {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | number | undefined;
  let running: Promise<void> = Promise.resolve();

  const wait = (): void => {
    timer = startTimer(() => void (running = runOnce()), pauseMs * (0.8 + Math.random() * 0.4));
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
      await running;
    },
  };
}

/**
 * Starts a timer that does not keep the process alive. In runtimes other than Node it is a number, and needs no
 * `unref`.
 */
function startTimer(run: () => void, milliseconds: number): NodeJS.Timeout | number {
  const timer: NodeJS.Timeout | number = setTimeout(run, milliseconds);
  if (typeof timer === 'object') timer.unref();
  return timer;
}
