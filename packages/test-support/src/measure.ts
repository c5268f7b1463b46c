export { measurePause } from './measure/longest-pause.ts';
export { startStopwatch, succeedWithin } from './measure/stopwatch.ts';
export type { Stopwatch } from './measure/stopwatch.ts';
export { usedBytes } from './measure/used-bytes.ts';
