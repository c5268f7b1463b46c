import { expect, it } from 'vitest';
import * as errors from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(errors).sort()).toEqual([
    'CodedError',
    'ConfigurationError',
    'allAwaitable',
    'errorTable',
    'fail',
    'isObject',
    'isPrototypeKey',
    'mapAwaitable',
    'notFound',
    'rateLimited',
    'silentLogger',
    'succeed',
    'toResult',
    'unauthenticated',
    'unwrap',
    'validationFailed',
  ]);
});
