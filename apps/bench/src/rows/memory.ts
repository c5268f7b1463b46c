import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { evaluateMemory, type Outcome } from '../comparison/outcome.ts';
import { exchangeOnce } from '../load/connection.ts';
import { writeRequest } from '../load/requests.ts';
import { runVisits, visitByHand, visitDemo } from '../load/visits.ts';
import { buildByHand } from '../servers/scripts.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import type { Row } from './row.ts';

/** Long enough for what a start leaves behind to be collected, if anything does that without being asked. */
const settledSeconds = 5;
const idleSeconds = 30;

/** A server by hand takes all the memory that it needs within a minute. */
const floorMinutes = 1;

/**
 * The resident memory of the demo on SQLite: after its start and a first answer, after minutes of everything that its
 * users do at full speed, and after 30 seconds without anything to do. The floor is the server by hand.
 */
export const memoryRow: Row = {
  name: 'memory',
  async run({ demo, cores, minutes }) {
    const scripts = { floor: await buildByHand(), ours: demo };
    const start = { ...scripts, algorithm: 'ES256', database: 'sqlite', cores, stayOn: 'both' } as const;
    return await withPair(start, async (floor, ours): Promise<readonly Outcome[]> => {
      await exchangeOnce(ours.port, writeRequest({ method: 'GET', path: '/api/auth/session' }));
      await sleep(settledSeconds * 1000);
      const atStart = { floor: readResident(floor), ours: readResident(ours), failures: {} };
      const [floorLoad, load] = [
        { port: floor.port, seconds: Math.min(minutes, floorMinutes) * 60, createVisit: visitByHand },
        { port: ours.port, seconds: minutes * 60, createVisit: visitDemo },
      ];
      const visitsByHand = await runVisits(floorLoad);
      const floorAfter = readResident(floor);
      const visits = await runVisits(load);
      console.log(`  ${visits.requests} requests, ${Math.round(visits.requests / load.seconds)} per second`);
      const failures = { ...visitsByHand.failures, ...visits.failures };
      const afterLoad = { floor: floorAfter, ours: readResident(ours), failures };
      await sleep(idleSeconds * 1000);
      const afterIdle = { floor: readResident(floor), ours: readResident(ours), failures };
      return [
        evaluateMemory({ row: 'memory: start', below: 125 }, atStart),
        evaluateMemory({ row: `memory: ${minutes} min of load`, below: 260 }, afterLoad),
        evaluateMemory({ row: `memory: ${idleSeconds} s idle`, below: null }, afterIdle),
      ];
    });
  },
};

/** Returns the resident memory of a process in bytes: all its pages, those of mapped files included. */
function readResident({ pid }: RunningServer): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kibibytes === undefined) throw new Error('This machine does not say how much memory a process has.');
  return Number(kibibytes) * 1024;
}
