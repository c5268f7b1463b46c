export { createServer } from './create-server.ts';
export type { Server, ServerOptions } from './create-server.ts';
