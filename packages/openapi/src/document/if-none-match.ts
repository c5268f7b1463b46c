import type { Parameter } from './document.ts';

/** What makes an answer depend on what its caller has. */
export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'An `ETag`, or several: who has what it names is answered with 304.',
  schema: { type: 'string' },
  example: '"1"',
};
