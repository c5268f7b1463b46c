import { createClientAddresses } from '../accounts/client-addresses.ts';
import { signUpUsers } from '../accounts/open-sessions.ts';
import { credentialsOf, getSessionRequest, signInRequest } from '../accounts/requests.ts';
import { judgeLatency, judgeThroughput, type Outcome } from '../comparison/outcome.ts';
import { runRounds, type Side } from '../comparison/run-rounds.ts';
import { takeSample } from '../comparison/sample.ts';
import { floorScript } from '../floors/floor-script.ts';
import { runClosedLoop } from '../load/closed-loop.ts';
import { exchangeOnce } from '../load/exchange-once.ts';
import type { LoadResult } from '../load/load-log.ts';
import { runSteadyRate } from '../load/steady-rate.ts';
import { writeRequest } from '../load/write-request.ts';
import type { Algorithm } from '../servers/server-variables.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { type PairMember, withPair } from '../servers/with-pair.ts';
import type { Row } from './row.ts';

/**
 * `POST /api/auth/signin`, 8 at a time over 200 users, against nothing but the hashing. Meanwhile somebody who is
 * signed in asks for their session now and then. Hashing is meant to use threads, so both sides get both cores.
 */
export function signInRow(algorithm: Algorithm, atLeast: number): Row {
  const row = `signin-${algorithm.toLowerCase()}`;
  return {
    name: row,
    run: (settings) => {
      const scripts = { floor: floorScript('argon2'), ours: settings.demo };
      const start = { ...scripts, algorithm, cores: settings.cores?.both ?? null };
      return withPair(start, async (floor, ours): Promise<readonly Outcome[]> => {
        const signIns = await signInsOf(ours);
        const sides = { floor: hashingOf(floor), ours: signIns.side };
        const rounds = await runRounds(sides, settings, warmUpSeconds);
        return [
          judgeThroughput({ row, atLeast }, rounds),
          judgeLatency({ row: `${row}: session p99`, below: 20 }, signIns.beside.slice(1)),
        ];
      });
    },
  };
}

const concurrency = 8;

/** A hundred requests a second are few to the optimizing compiler. */
const warmUpSeconds = 15;

/** So many that nobody reaches the cap of sessions, where each sign-in would end another session. */
const userCount = 200;
const sessionsPerSecond = 50;

/** The floor loads itself; how long each hash took is its answer. */
function hashingOf({ pid, port }: RunningServer): Side {
  const verifyFor = async (seconds: number): Promise<LoadResult> => {
    const request = writeRequest({ method: 'POST', path: `/?seconds=${seconds}` });
    const latenciesMs = JSON.parse((await exchangeOnce(port, request)).body) as readonly number[];
    return { seconds, latenciesMs: latenciesMs.toSorted((a, b) => a - b), failures: {} };
  };
  return (seconds) => takeSample(pid, () => verifyFor(seconds));
}

interface SignIns {
  readonly side: Side;
  /** What came of the light load beside each round so far, that of the warm-up first. */
  readonly beside: readonly LoadResult[];
}

async function signInsOf({ pid, port }: PairMember): Promise<SignIns> {
  const [session] = await signUpUsers(port, userCount);
  if (session === undefined) throw new Error('Nobody was signed up.');
  const address = createClientAddresses(1);
  let signIns = 0;
  const request = (): string => signInRequest(credentialsOf(signIns++ % userCount), address());
  const beside: LoadResult[] = [];
  const side: Side = async (seconds) => {
    const steady = runSteadyRate({ port, seconds, perSecond: sessionsPerSecond, request: getSessionRequest(session) });
    const sample = await takeSample(pid, () => runClosedLoop({ port, connections: concurrency, seconds, request }));
    beside.push(await steady);
    return sample;
  };
  return { side, beside };
}
