import { expectTypeOf } from 'vitest';
import type { ErrorBody } from './errors.ts';
import type { Result } from './result.ts';

declare const result: Result<{ readonly title: string }>;

if (result.ok) expectTypeOf(result.data.title).toEqualTypeOf<string>();
if (!result.ok) expectTypeOf(result.error).toEqualTypeOf<ErrorBody>();

// It can be destructured before it is known; the error tells whether there is data.
const { data, value, error } = result;
if (error) {
  expectTypeOf(error).toEqualTypeOf<ErrorBody>();
  expectTypeOf([data, value]).toEqualTypeOf<undefined[]>();
} else {
  expectTypeOf([data.title, value.title]).toEqualTypeOf<string[]>();
}
