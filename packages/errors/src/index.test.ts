import { expect, it } from 'vitest';
import * as errors from './index.ts';

it('exports exactly the documented names', () => {
  expect(Object.keys(errors).sort()).toEqual([
    'CodedError',
    'ConfigurationError',
    'assertNodeVersion',
    'asyncSchemaMessage',
    'describeUnknownOption',
    'didYouMean',
    'errorTable',
    'fail',
    'findInputProblem',
    'findUnknownOptions',
    'isAsyncSchema',
    'isObject',
    'isPrototypeKey',
    'notFound',
    'pathOfIssue',
    'rateLimited',
    'refuseUnknownOptions',
    'succeed',
    'toExactNumber',
    'toLogger',
    'toResult',
    'tooBusy',
    'unauthenticated',
    'unwrap',
    'validateBySchema',
    'validationFailed',
    'withJsonSchema',
  ]);
});
