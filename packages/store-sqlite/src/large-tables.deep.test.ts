import { vi } from 'vitest';
import { describeLargeTables } from './testing/large-tables.ts';

vi.setConfig({ testTimeout: 600_000 });
describeLargeTables(1_000_000);
