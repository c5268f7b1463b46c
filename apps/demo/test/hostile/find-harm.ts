import { join } from 'node:path';
import { query } from '../support/database-file.ts';
import { faultsOf } from '../support/faults.ts';
import { createDatabase, query as queryPostgres } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { attackDemo, type AttackOutcome, type AttackTerms } from './under-attack.ts';

/** Where the records of a demo are. */
export type Engine = 'sqlite' | 'postgres';

/** What a server is to keep, whatever others do to it. */
const limits = { politeMs: 100, pauseMs: 50, megabytes: 400, abandoned: 10 };

/**
 * Attacks a demo, prints how it fared and which goals it missed, and returns all harm that was done: to the polite
 * client, to the demo, and to what is stored.
 *
 * Goals are printed and not asserted yet: how long the polite client waits during the attack, for how long the event
 * loop pauses, and how much memory the demo takes. On two cores, which the attackers share, they are still missed.
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
  console.log(`Goals missed on ${engine}: ${missedGoals(outcome).join('; ') || 'none'}.`);
  const faults = await faultsOf(demo);
  const { code } = await demo.stop();
  const sql = 'SELECT COUNT(*) AS count FROM app_comments WHERE length(body) = 10000';
  const [row] = url === undefined ? query(join(folder, '.data/demo.db'), sql) : await queryPostgres(url, sql);
  const lost = terms.accounts * terms.tasks * terms.comments - Number(row?.['count']);
  return [
    ...harmIn(outcome),
    ...faults,
    ...(code === 0 ? [] : [`The demo ended with ${code}`]),
    ...(lost === 0 ? [] : [`${lost} comments are lost`]),
  ];
}

function harmIn({ after, surprises, hostile, vitals }: Omit<AttackOutcome, 'demo'>): readonly string[] {
  return [
    ...surprises,
    ...hostile.faults,
    ...(after.p99Unhindered < limits.politeMs
      ? []
      : [`Seconds after the attack the polite client waited ${after.p99Unhindered} ms (p99, unhindered)`]),
    ...(vitals.after.abandoned < limits.abandoned
      ? []
      : [`${vitals.after.abandoned} connections are open without a client`]),
  ];
}

function missedGoals({ during, pauses, maxMegabytes }: Omit<AttackOutcome, 'demo'>): readonly string[] {
  const long = pauses.filter(({ ms }) => ms > limits.pauseMs);
  return [
    ...(during.p99 < limits.politeMs ? [] : [`the polite client waited ${during.p99} ms (p99)`]),
    ...(long.length === 0
      ? []
      : [`the event loop paused ${long.length} times, for up to ${long[0]?.ms} ms, of which it ran ${long[0]?.ranMs}`]),
    ...(maxMegabytes < limits.megabytes ? [] : [`the demo took ${Math.round(maxMegabytes)} MB`]),
  ];
}
