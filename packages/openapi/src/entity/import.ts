import type { Parameter } from '../document/document.ts';
import { arrayOf, type JsonSchema, objectOf, schemaRef } from '../schema/json-schema.ts';

/** The type of lines of JSON. */
export const linesType = 'application/x-ndjson';

/** The schema of the body of an import. */
export const linesSchema: JsonSchema = {
  type: 'string',
  description: 'Lines of JSON: each is the body of `create`, but for its `id`, which is taken.',
  examples: ['{"id":"00000000-0000-4000-8000-000000000001"}\n'],
};

/** The parameter that continues an import. */
export const resumeAfter: Parameter = {
  name: 'resumeAfter',
  in: 'query',
  description: 'The number of a line: it and those before it are skipped.',
  schema: { type: 'integer', minimum: 0, default: 0 },
};

const failedLine: JsonSchema = objectOf({
  line: { type: 'integer', minimum: 1, description: 'Counted from 1, empty lines included.' },
  error: schemaRef('ErrorBody'),
});

/** The schema of what an import has done. */
export const importOutcome: JsonSchema = objectOf(
  {
    created: { type: 'integer', minimum: 0, description: 'How many records were created.' },
    failed: {
      ...arrayOf(failedLine),
      maxItems: 1000,
      description: 'The lines that were refused, with the error that `create` answers.',
    },
    failedTotal: {
      type: 'integer',
      description: 'How many lines were refused; only if `failed` does not hold all of them.',
    },
    resumeAfter: { type: 'integer', minimum: 0, description: 'The number of the last line that was dealt with.' },
  },
  ['created', 'failed', 'resumeAfter'],
);
