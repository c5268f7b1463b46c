import { join } from 'node:path';
import { query } from '../support/database-file.ts';
import { faultsOf } from '../support/faults.ts';
import { createDatabase, query as queryPostgres } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { attackDemo, type AttackOutcome, type AttackTerms } from './under-attack.ts';

/** Where the records of a demo are. */
export type Engine = 'sqlite' | 'postgres';

/** The limits that a server keeps under any attack. */
const limits = {
  politeMs: 250,
  pauseMs: 50,
  longestPauseMs: 250,
  megabytes: 400,
  abandoned: 10,
};

/**
 * Attacks a demo, prints how it fared, and returns all harm that was done: to the polite client, to the demo, and to
 * the stored records. Delays by a busy machine are not counted, nor is time without a core.
 */
export async function findHarm(
  engine: Engine,
  terms: Omit<AttackTerms, 'folder' | 'variables'>,
): Promise<readonly string[]> {
  const folder = makeFolder();
  const url = engine === 'postgres' ? await createDatabase() : undefined;
  const variables = url === undefined ? {} : { DATABASE_URL: url };
  const { demo, ...outcome } = await attackDemo({ folder, variables, ...terms });
  console.log(JSON.stringify({ engine, ...outcome, pauses: outcome.pauses.slice(0, 10) }));
  const faults = await faultsOf(demo);
  const { code } = await demo.stop();
  const sql = 'SELECT COUNT(*) AS count FROM app_comments WHERE length(body) = 10000';
  const [row] = url === undefined ? query(join(folder, '.data/demo.db'), sql) : await queryPostgres(url, sql);
  const lost = terms.accounts * terms.tasks * terms.comments - Number(row?.['count']);
  return [
    ...harmIn(outcome),
    ...longPauses(outcome, terms.seconds),
    ...faults,
    ...(code === 0 ? [] : [`The demo ended with ${code}`]),
    ...(lost === 0 ? [] : [`${lost} comments are lost`]),
  ];
}

function harmIn(outcome: Omit<AttackOutcome, 'demo'>): readonly string[] {
  const { during, after, surprises, hostile, vitals, maxMegabytes } = outcome;
  const isShort = during.requests < 1000;
  // Of the few requests beside a short attack, each would be a percent.
  const waitedMs = isShort ? during.p95Unhindered : during.p99Unhindered;
  return [
    ...surprises,
    ...hostile.faults,
    ...(waitedMs < limits.politeMs ? [] : [`The polite client waited ${waitedMs} ms`]),
    ...(after.p99Unhindered < limits.politeMs
      ? []
      : [`Seconds after the attack the polite client waited ${after.p99Unhindered} ms (p99, unhindered)`]),
    ...(maxMegabytes < limits.megabytes ? [] : [`The demo took ${Math.round(maxMegabytes)} MB`]),
    ...(vitals.after.abandoned < limits.abandoned
      ? []
      : [`${vitals.after.abandoned} connections are open without a client`]),
  ];
}

/**
 * Finds pauses of the event loop that are too long, or too many. The goal is none; one in ten seconds is what is left,
 * when hundreds of requests come in one turn and their garbage is collected. A short attack says little of that: most
 * of it is the second in which all clients connect.
 */
function longPauses({ pauses }: Omit<AttackOutcome, 'demo'>, seconds: number): readonly string[] {
  const long = pauses.filter(({ ranMs }) => ranMs > limits.pauseMs);
  const isHarmless = long.length <= seconds / 10 && long.every(({ ranMs }) => ranMs < limits.longestPauseMs);
  return isHarmless || seconds < 60
    ? []
    : [`The event loop ran for over ${limits.pauseMs} ms at a stretch: ${JSON.stringify(long)}`];
}
