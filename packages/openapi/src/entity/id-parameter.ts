import type { Parameter } from '../document/document.ts';

/** The id of a record in a path. */
export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of a record.',
  schema: { type: 'string', format: 'uuid' },
};
