import type { Stores } from '@x/store';
import { all, eq } from '@x/store/where';
import { by, type LogEntry, type RecordedStep, type StepCase } from './recorded-steps.ts';

const [group, first, second] = ['group', 'first', 'second'] as const;

/** Adds two ledgers of one group, with a line each; that of the second is about the first. */
async function addLedgers({ entities }: Stores): Promise<void> {
  await entities.create('ledger-groups', { id: group, name: 'Group' });
  for (const id of [first, second]) await entities.create('ledgers', { id, name: 'Ledger', groupId: group });
  await entities.create('ledger-lines', { id: 'line-1', ledgerId: first });
  await entities.create('ledger-lines', { id: 'line-2', ledgerId: second, aboutId: first });
}

function changed(type: string, entity: string, ids: readonly string[], fields?: readonly string[]): LogEntry {
  return { type, userId: null, detail: { entity, ids, ...(fields && { fields }), by } };
}

/** The steps of the rows of audited entities. */
export const recordCases: Readonly<Record<Extract<RecordedStep, `entities.${string}`>, StepCase>> = {
  'entities.create': {
    step: async ({ entities }, why) => {
      if (!(await entities.get('ledgers', first, all)))
        await entities.create('ledgers', { id: first, name: 'One' }, why);
    },
    expected: [changed('record.created', 'ledgers', [first])],
  },
  'entities.update': {
    prepare: addLedgers,
    step: ({ entities }, why) =>
      entities.update('ledgers', first, { values: { name: 'New' }, where: eq('name', 'Ledger') }, why),
    expected: [changed('record.updated', 'ledgers', [first], ['name'])],
  },
  'entities.updateAll': {
    prepare: addLedgers,
    step: ({ entities }, why) =>
      entities.updateAll('ledgers', { values: { name: 'New' }, where: eq('name', 'Ledger') }, why),
    expected: [changed('record.updated', 'ledgers', [first, second], ['name'])],
  },
  'entities.delete': {
    prepare: addLedgers,
    step: ({ entities }, why) => entities.delete('ledgers', first, { where: all }, why),
    expected: [
      changed('record.deleted', 'ledgers', [first]),
      changed('record.deleted', 'ledger-lines', ['line-1']),
      changed('record.updated', 'ledger-lines', ['line-2'], ['aboutId']),
    ],
  },
  'entities.deleteAll': {
    prepare: addLedgers,
    step: ({ entities }, why) => entities.deleteAll('ledger-groups', eq('id', group), why),
    expected: [
      changed('record.deleted', 'ledgers', [first, second]),
      changed('record.deleted', 'ledger-lines', ['line-1', 'line-2']),
    ],
  },
};
