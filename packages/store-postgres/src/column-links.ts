import type { SqlDialect } from '@x/store-sql';

const [minInteger, maxInteger] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** See {@link SqlDialect.widening}. */
export const widening: SqlDialect['widening'] = (narrow, wide) =>
  wide.decimal
    ? { toWide: (cell) => cell, toNarrow: (cell) => `round(${cell}, ${narrow.decimal?.scale ?? 0})` }
    : {
        toWide: (cell) => `CAST(${cell} AS DOUBLE PRECISION)`,
        // least() and greatest() ignore null, unlike a number.
        toNarrow: (cell) =>
          `CASE WHEN ${cell} IS NOT NULL THEN CAST(least(greatest(round(${cell}), ${minInteger}), ${maxInteger}) AS BIGINT) END`,
      };

/** A function that is called before each row is written. Its text refers only to the row. */
export const columnLinks: SqlDialect['columnLinks'] = {
  create({ name, table, old, replacement, isJson, sync, copy }) {
    const toCell = (row: string, column: string): string =>
      isJson ? `CAST(${row}.${column} AS TEXT)` : `${row}.${column}`;
    const isChanged = `${toCell('NEW', old)} IS DISTINCT FROM ${toCell('OLD', old)}`;
    const follow = copy?.isFollowed
      ? ` ELSIF TG_OP = 'UPDATE' AND ${isChanged} AND ${toCell('NEW', replacement)} IS NOT DISTINCT FROM ${toCell('OLD', replacement)}
        THEN NEW.${replacement} := ${copy.toCell(`NEW.${old}`)};`
      : '';
    const body = copy
      ? `IF TG_OP = 'INSERT' AND ${copy.isMissing} THEN NEW.${replacement} := ${copy.toCell(`NEW.${old}`)};${follow} END IF;`
      : sync
        ? `IF TG_OP = 'INSERT' AND NEW.${old} IS DISTINCT FROM ${sync.initial} THEN NEW.${replacement} := ${sync.toWide(`NEW.${old}`)};
        ELSIF TG_OP = 'UPDATE' AND ${isChanged} THEN NEW.${replacement} := ${sync.toWide(`NEW.${old}`)};
        ELSIF TG_OP = 'INSERT' OR NEW.${replacement} IS DISTINCT FROM OLD.${replacement} THEN NEW.${old} := ${sync.toNarrow(`NEW.${replacement}`)};
        END IF;`
        : `IF ${isChanged} THEN NEW.${replacement} := NULL; END IF;`;
    return `
      CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $link$ BEGIN ${body} RETURN NEW; END $link$;
      DROP TRIGGER IF EXISTS ${name} ON ${table};
      CREATE TRIGGER ${name} BEFORE ${sync || copy ? 'INSERT OR UPDATE' : 'UPDATE'} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`;
  },
  drop: dropTrigger,
};

function dropTrigger({ name, table }: { readonly name: string; readonly table: string }): string {
  return `DROP TRIGGER IF EXISTS ${name} ON ${table}; DROP FUNCTION IF EXISTS ${name}();`;
}

/** Other changes of the reference raise the version in their own statement. */
export const lostReferences: SqlDialect['lostReferences'] = {
  create: ({ name, table, column, version }) =>
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $lost$ BEGIN
      NEW.${version} := NEW.${version} + 1; RETURN NEW; END $lost$;
    DROP TRIGGER IF EXISTS ${name} ON ${table};
    CREATE TRIGGER ${name} BEFORE UPDATE OF ${column} ON ${table} FOR EACH ROW
    WHEN (NEW.${column} IS NULL AND OLD.${column} IS NOT NULL AND NEW.${version} = OLD.${version})
    EXECUTE FUNCTION ${name}()`,
  drop: dropTrigger,
};
