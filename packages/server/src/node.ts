export { listen } from './listen.ts';
export type { Listener, ListenOptions } from './listen.ts';
