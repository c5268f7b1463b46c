#!/usr/bin/env node
import { ConfigurationError } from '@x/errors';
import { reasonOf, runInspect } from '@x/store-sql';
import { toReader, withClient } from './client.ts';
import { DatabaseHosts } from './hosts.ts';
import { inspector } from './inspect.ts';

const connectMs = 10_000;

process.exitCode = await runInspect(
  {
    name: '@x/store-postgres',
    place: '<url>',
    inspector,
    async open(url, work) {
      if (!/^postgres(ql)?:/i.test(url)) {
        throw new ConfigurationError(['The url must be postgres://user:password@host:port/database.']);
      }
      try {
        return await withClient(await new DatabaseHosts(url, connectMs).locate(), async (client) => {
          await client.query('BEGIN READ ONLY');
          return work(toReader(client));
        });
      } catch (error) {
        if (error instanceof ConfigurationError) throw error;
        throw new ConfigurationError([`The database can't be read: ${reasonOf(error)}`], { cause: error });
      }
    },
  },
  process.argv.slice(2),
);
