import type { Parameter } from '../document/document.ts';

/** The id of a record in a path. */
export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of a record. What is no id is no record either.',
  schema: { type: 'string', format: 'uuid' },
};
