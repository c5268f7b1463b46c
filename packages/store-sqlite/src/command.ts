#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { ConfigurationError } from '@x/errors';
import { runInspect } from '@x/store-sql';
import { inspector } from './inspect.ts';
import { openReader } from './open-connection.ts';

process.exitCode = await runInspect(
  {
    name: '@x/store-sqlite',
    place: '<file>',
    inspector,
    async open(path, work) {
      if (!existsSync(path)) throw new ConfigurationError([`There is no file ${path}.`]);
      const connection = openReader(path);
      try {
        return await work({ read: async (text, values) => connection.all(text, values) });
      } finally {
        connection.close();
      }
    },
  },
  process.argv.slice(2),
);
