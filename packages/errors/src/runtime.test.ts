import { afterEach, expect, it, vi } from 'vitest';
import { assertNodeVersion } from './runtime.ts';

afterEach(() => vi.unstubAllGlobals());

it.each(['20.20.2', '18.0.0'])('refuses Node %s in a sentence', (node) => {
  vi.stubGlobal('process', { versions: { node } });
  expect(assertNodeVersion).toThrow(`Node ${node} is too old: use Node 22 or later.`);
});

it.each([{ versions: { node: '22.0.0' } }, { versions: { node: '100.1.2' } }, { versions: {} }, {}, undefined])(
  'accepts %j',
  (process) => {
    vi.stubGlobal('process', process);
    expect(assertNodeVersion).not.toThrow();
  },
);
