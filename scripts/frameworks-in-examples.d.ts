// The parts of frameworks that examples of pages use. None is installed here: packages/tests/packed/ checks the apps in
// examples/ against the frameworks themselves.

declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Request extends IncomingMessage {
    readonly originalUrl: string;
    readonly params: { readonly id: string };
  }
  interface Response extends ServerResponse {
    send(body: string): this;
  }
  type Next = (error?: unknown) => void;
  type Handler = (request: Request, response: Response, next: Next) => unknown;
  interface App {
    use(handler: Handler | ((error: unknown, request: Request, response: Response, next: Next) => unknown)): this;
    get(path: string, handler: Handler): this;
    listen(port: number): unknown;
  }
  export default function express(): App;
}

declare module 'next/navigation' {
  export function redirect(url: string): never;
}

declare module 'fastify' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Request {
    readonly raw: IncomingMessage;
    readonly is404: boolean;
    readonly routeOptions: { readonly url?: string };
  }
  interface Reply {
    readonly raw: ServerResponse;
    hijack(): this;
    code(status: number): this;
    header(name: string, value: string): this;
    headers(values: Readonly<Record<string, string>>): this;
    send(payload: unknown): this;
  }
  type Hook = (request: Request, reply: Reply, done: () => void) => void;
  interface App {
    register(plugin: (app: App) => Promise<void>): Promise<void>;
    addHook(name: 'onRequest', hook: Hook): this;
    setErrorHandler(handler: (error: unknown, request: Request, reply: Reply) => void): this;
    get(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): this;
    listen(options: { readonly port: number }): Promise<string>;
  }
  export default function Fastify(): App;
}
