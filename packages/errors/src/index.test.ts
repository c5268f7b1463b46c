import { expect, it } from 'vitest';
import * as errors from './index.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(errors).sort()).toEqual([
    'CodedError',
    'ConfigurationError',
    'allAwaitable',
    'assertKnownOptions',
    'assertNodeVersion',
    'describeUnknownOption',
    'errorTable',
    'fail',
    'findInputProblem',
    'findUnknownOptions',
    'isObject',
    'isPrototypeKey',
    'mapAwaitable',
    'notFound',
    'rateLimited',
    'refuseUnknownOptions',
    'silentLogger',
    'succeed',
    'toResult',
    'tooBusy',
    'unauthenticated',
    'unwrap',
    'validationFailed',
  ]);
});
