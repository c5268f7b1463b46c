import type { ChangeStore, StoredChange } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import type { ConditionRow } from '@x/store/where';
import { copyEntityValues } from '../entity/entity-tables.ts';
import type { StepExecutor } from '../database/executor.ts';
import { type ChangeLog, databaseNow, toPosition } from './change-log.ts';

/** Creates the feed. */
export function createChangeStore(executor: StepExecutor<{ readonly changes: ChangeLog }>): ChangeStore {
  return {
    append: async ({ entity, id, tenantId = null, before, after }) => {
      for (const each of [entity, id, tenantId ?? '']) assertStorableText(each);
      // Copied first: the caller may change it while the step waits.
      const change = {
        kind: 'app',
        entity,
        id,
        tenantId,
        before: copyJsonRow(before),
        after: copyJsonRow(after),
      } as const;
      return executor.write(({ changes }) => changes.append(change));
    },

    read: async (after, limit) =>
      executor.read(({ changes }) => {
        if (after === null) return { changes: [], position: toPosition(changes.last) };
        const number = parsePosition(after);
        if (number === null || number > changes.last) return null;
        const read = changes.read(number, limit);
        const position = read.length < limit ? toPosition(changes.last) : (read.at(-1)?.position ?? after);
        return { changes: read.map(copyChange), position };
      }),

    prune: async ({ olderThanMs, limit }) =>
      executor.write(({ changes }) => changes.prune(new Date(databaseNow().getTime() - olderThanMs), limit)),
  };
}

function parsePosition(position: string): number | null {
  return /^0\.\d{1,15}$/.test(position) ? Number(position.slice(2)) : null;
}

/** As a database would store it, where dates become texts. */
function copyJsonRow(row: ConditionRow | null): ConditionRow | null {
  return JSON.parse(JSON.stringify(row)) as ConditionRow | null;
}

/** Copies a change for a caller. */
function copyChange(change: StoredChange): StoredChange {
  const { before, after } = change;
  return { ...change, before: before && copyEntityValues(before), after: after && copyEntityValues(after) };
}
