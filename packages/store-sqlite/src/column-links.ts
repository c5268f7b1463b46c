import type { SqlDialect } from '@x/store-sql';

const [minInteger, maxInteger] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** See {@link SqlDialect.widening}. Decimals are integers in units of their last digit. */
export const widening: SqlDialect['widening'] = (narrow, wide) => {
  const factor = 10 ** ((wide.decimal?.scale ?? 0) - (narrow.decimal?.scale ?? 0));
  return wide.decimal
    ? {
        toWide: (cell) => `${cell} * ${factor}`,
        toNarrow: (cell) => `CAST(round(${cell} / ${factor}.0) AS INTEGER)`,
      }
    : {
        toWide: (cell) => `CAST(${cell} AS REAL)`,
        toNarrow: (cell) => `CAST(min(max(round(${cell}), ${minInteger}), ${maxInteger}) AS INTEGER)`,
      };
};

/**
 * A trigger can't change the row that is being written, only write it again. It is not called for its own change, but
 * other triggers are. They recognize such a change by the narrow column, which has the converted value of the wide one.
 */
export const columnLinks: SqlDialect['columnLinks'] = {
  create({ name, table, old, replacement, sync, copy }) {
    const write = (cells: string): string => ` BEGIN UPDATE ${table} SET ${cells} WHERE "id" = NEW."id"; END;`;
    const trigger = (part: string, event: string, condition: string): string =>
      `CREATE TRIGGER ${name}_${part} AFTER ${event} ON ${table} WHEN ${condition}`;
    const onOld = `UPDATE OF ${old}`;
    const isOldChanged = `NEW.${old} IS NOT OLD.${old}`;
    if (copy) {
      const copied = write(`${replacement} = ${copy.toCell(`NEW.${old}`)}`);
      const isOwn = `NEW.${replacement} IS NOT OLD.${replacement}`;
      const onInsert = trigger('insert', 'INSERT', copy.isMissing) + copied;
      return copy.isFollowed
        ? `${onInsert}\n${trigger('old', onOld, `${isOldChanged} AND NOT (${isOwn})`)}${copied}`
        : onInsert;
    }
    if (!sync) return trigger('old', onOld, isOldChanged) + write(`${replacement} = NULL`);
    const [followed, following] = [sync.toWide(`NEW.${old}`), sync.toNarrow(`NEW.${replacement}`)];
    const isGiven = `NEW.${old} IS NOT ${sync.initial}`;
    return [
      trigger('insert', 'INSERT', isGiven) + write(`${replacement} = ${followed}`),
      trigger('insert_new', 'INSERT', `NOT (${isGiven})`) + write(`${old} = ${following}`),
      trigger('old', onOld, `${isOldChanged} AND NEW.${old} IS NOT ${following}`) +
        write(`${replacement} = ${followed}`),
      trigger('new', `UPDATE OF ${replacement}`, `NEW.${replacement} IS NOT OLD.${replacement}`) +
        write(`${old} = ${following}`),
    ].join('\n');
  },
  drop: ({ name }) =>
    ['old', 'insert', 'insert_new', 'new'].map((part) => `DROP TRIGGER IF EXISTS ${name}_${part};`).join('\n'),
};

/** Other changes of the reference raise the version in their own statement. */
export const lostReferences: SqlDialect['lostReferences'] = {
  create: ({ name, table, column, version }) =>
    `CREATE TRIGGER ${name} AFTER UPDATE OF ${column} ON ${table}
    WHEN NEW.${column} IS NULL AND OLD.${column} IS NOT NULL AND NEW.${version} = OLD.${version}
    BEGIN UPDATE ${table} SET ${version} = ${version} + 1 WHERE "id" = NEW."id"; END;`,
  drop: ({ name }) => `DROP TRIGGER IF EXISTS ${name};`,
};
