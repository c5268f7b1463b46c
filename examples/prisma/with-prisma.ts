import { PrismaPg } from '@prisma/adapter-pg';
import type { TransactionStores } from '@x/store';
import type pg from 'pg';
import { PrismaClient } from './generated/client.ts';

/**
 * Gives `work` a Prisma on the connection of a transaction of the stores. Transactions of its own, such as those of
 * nested writes, are savepoints in that.
 */
export async function withPrisma<T>(
  { raw }: TransactionStores,
  work: (prisma: PrismaClient) => Promise<T>,
): Promise<T> {
  const client = raw as pg.PoolClient;
  const run = async (statement: string): Promise<void> => void (await client.query(statement));

  const adapter = await new PrismaPg({}).connect(); // with a pool that connects nowhere, as no query reaches it
  Object.assign(adapter.underlyingDriver(), { query: client.query.bind(client) });
  const { provider, adapterName } = adapter;
  adapter.startTransaction = async () => {
    await run('SAVEPOINT prisma');
    return {
      provider,
      adapterName,
      options: { usePhantomQuery: true }, // Prisma sends no COMMIT or ROLLBACK, but calls these:
      commit: () => run('RELEASE prisma'),
      rollback: () => run('ROLLBACK TO prisma'),
      queryRaw: (query) => adapter.queryRaw(query),
      executeRaw: (query) => adapter.executeRaw(query),
    };
  };

  const prisma = new PrismaClient({ adapter: { provider, adapterName, connect: async () => adapter } });
  try {
    return await work(prisma);
  } finally {
    await prisma.$disconnect(); // frees the memory of its query compiler
  }
}
