export { followLive } from './live/follow-live.ts';
export type { LiveOptions } from './live/follow-live.ts';
