export { measurePause } from './measure/longest-pause.ts';
export { startStopwatch } from './measure/stopwatch.ts';
export type { Stopwatch } from './measure/stopwatch.ts';
