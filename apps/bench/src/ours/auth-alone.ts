import { serveOurs } from './serve-ours.ts';

// A server with accounts and nothing else, for floors that know nothing of access: the demo's JWTs say what their user
// may do.
await serveOurs({});
