import { afterAll, vi } from 'vitest';

// Files share their thread, one after another. vitest itself restores spies between them, but not timers.
afterAll(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error(
    'This file left fake timers to the files after it; end each test that fakes them with vi.useRealTimers().',
  );
});
