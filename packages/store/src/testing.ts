export { ManualClock } from './testing/manual-clock.ts';
