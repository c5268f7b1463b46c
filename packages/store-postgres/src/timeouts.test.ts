import { defaultPatience } from '@x/store/engine';
import { expect, it } from 'vitest';
import { toTimeouts } from './timeouts.ts';

it('gives the server less time than the call, and a lock less than its statement', () => {
  expect(toTimeouts(defaultPatience)).toEqual({
    waitMs: 2000,
    connectMs: 1000,
    callMs: 1900,
    statementMs: 1750,
    lockMs: 1700,
  });
});

it('keeps the limits in this order for a short patience', () => {
  expect(toTimeouts({ waitMs: 100, connectMs: 50 })).toEqual({
    waitMs: 100,
    connectMs: 50,
    callMs: 95,
    statementMs: 87,
    lockMs: 85,
  });
});
