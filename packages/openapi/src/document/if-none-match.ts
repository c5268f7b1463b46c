import type { Parameter } from './document.ts';

/** The header that makes a response conditional. */
export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'One or more `ETag`s: if one of them is current, the answer is 304.',
  schema: { type: 'string' },
  example: '"1"',
};
