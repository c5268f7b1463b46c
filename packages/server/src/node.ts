export { toNodeHandler } from './adapters/node-handler.ts';
export { sessionOf } from './adapters/page-session.ts';
export { listen } from './listen/listen.ts';
export type { Listener, ListenOptions } from './listen/listen.ts';
