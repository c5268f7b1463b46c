import { vi } from 'vitest';
import { describeLargestTexts } from './testing/large-tables.ts';

// Not beside the million rows of the other file, whose collection would be measured.
vi.setConfig({ testTimeout: 600_000 });
describeLargestTexts(1000);
