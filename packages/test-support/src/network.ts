export { findFreePort } from './network/free-port.ts';
export { startTcpProxy } from './network/tcp-proxy.ts';
export type { TcpProxy } from './network/tcp-proxy.ts';
