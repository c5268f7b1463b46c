import { vi } from 'vitest';
import { describeLargestTexts } from './testing/large-tables.ts';

// A file of its own, because the garbage collection of the other file's million rows would be measured.
vi.setConfig({ testTimeout: 600_000 });
describeLargestTexts(1000);
