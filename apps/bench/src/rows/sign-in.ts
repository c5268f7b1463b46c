import { createClientAddresses, signUpUsers } from '../load/accounts.ts';
import {
  credentialsOf,
  getSessionRequest,
  type SessionCookies,
  signInRequest,
  writeRequest,
} from '../load/requests.ts';
import { evaluateLatency, evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { type LoadResult, runClosedLoop, runSteadyRate } from '../load/load.ts';
import { exchangeOnce } from '../load/connection.ts';
import { createTemporaryFolder } from '../servers/create-databases.ts';
import { floorScript, ourScript } from '../servers/scripts.ts';
import { type Algorithm, serverVariables } from '../servers/server-variables.ts';
import { type RunningServer, startServer } from '../servers/start-server.ts';
import { type PairStart, withPair } from '../servers/with-pair.ts';
import type { Row } from './row.ts';

/**
 * `POST /api/auth/signin`, 8 at a time over 200 users, against nothing but the hashing, and where it is asked for
 * against sign-in by hand. Meanwhile a user who is signed in with ours asks for their session now and then. Hashing is
 * meant to use threads, so both servers get both cores.
 */
export function signInRow(
  algorithm: Algorithm,
  atLeast: number,
  { isAlsoByHand = false }: { readonly isAlsoByHand?: boolean } = {},
): Row {
  const row = `signin-${algorithm.toLowerCase()}`;
  return {
    name: row,
    run: ({ cores, rounds: count, seconds }) => {
      const scripts = { floor: floorScript('by-hand/main'), ours: ourScript('auth-alone') };
      const start = { ...scripts, algorithm, database: 'sqlite', cores, stayOn: 'both' } as const;
      return withPair(start, async (floor, ours): Promise<readonly Outcome[]> => {
        await using hand = isAlsoByHand ? await startByHand(start) : null;
        const byHand = hand && signInsOf(hand, await signUpUsers(hand.port, userCount));
        const users = await signUpUsers(ours.port, userCount);
        const reads = readSessionBeside(signInsOf(ours, users), ours, users);
        const sides = { floor: hashingOf(floor), ...(byHand && { byHand }), ours: reads.side };
        const rounds = await runRounds(sides, { rounds: count, seconds: seconds * timesLonger }, warmUpSeconds);
        const handRow = { row: `${row}: by hand`, atLeast: null };
        return [
          evaluateThroughput({ row, atLeast }, rounds),
          ...(byHand ? [evaluateThroughput(handRow, { ...rounds, floor: rounds.byHand })] : []),
          evaluateLatency({ row: `${row}: session p99`, below: 20 }, reads.results.slice(1)),
        ];
      });
    },
  };
}

/**
 * Starts the handler by hand by itself, with as many threads as there are cores: more take each other's caches. The
 * hashing alone has as many as Node gives it, which the budget was made for.
 */
async function startByHand({ floor: script, algorithm, cores }: PairStart): Promise<RunningServer> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(createTemporaryFolder());
  const variables = {
    ...serverVariables({ algorithm, databaseUrl: `file:${folder.path}/by-hand.db` }),
    UV_THREADPOOL_SIZE: '2',
  };
  const cpus = cores && cores.both;
  const { pid, port } = started.use(await startServer({ script, variables, folder: folder.path, cores: cpus }));
  const kept = started.move();
  return { pid, port, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const concurrency = 8;

/** A hundred requests a second are few to the optimizing compiler, and to statistics. */
const warmUpSeconds = 8;
const timesLonger = 2;

/** So many that no user reaches the cap of sessions, where each sign-in would end another session. */
const userCount = 200;
const sessionsPerSecond = 50;

/** The floor loads itself; how long each hash took is its answer. */
function hashingOf({ pid, port }: RunningServer): Side {
  const verifyFor = async (seconds: number): Promise<LoadResult> => {
    const request = writeRequest({ method: 'POST', path: `/hash-alone?seconds=${seconds}` });
    const latenciesMs = JSON.parse((await exchangeOnce(port, request)).body) as readonly number[];
    return { seconds, latenciesMs: latenciesMs.toSorted((a, b) => a - b), failures: {} };
  };
  return (seconds) => takeSample(pid, () => verifyFor(seconds));
}

/** The users sign in one after another, from one address each time. */
function signInsOf({ pid, port }: RunningServer, users: readonly SessionCookies[]): Side {
  const address = createClientAddresses(1);
  let signIns = 0;
  const request = (): string => signInRequest(credentialsOf(signIns++ % users.length), address());
  return (seconds) => takeSample(pid, () => runClosedLoop({ port, connections: concurrency, seconds, request }));
}

interface SessionReads {
  readonly side: Side;
  /** The outcome of the reads in each round so far, that of the warm-up first. */
  readonly results: readonly LoadResult[];
}

/** Has the first user read their session while a side is measured. */
function readSessionBeside(side: Side, { port }: RunningServer, [user]: readonly SessionCookies[]): SessionReads {
  if (user === undefined) throw new Error('No user was signed up.');
  const request = getSessionRequest(user);
  const results: LoadResult[] = [];
  const withReads: Side = async (seconds) => {
    const reads = runSteadyRate({ port, seconds, perSecond: sessionsPerSecond, request });
    const sample = await side(seconds);
    results.push(await reads);
    return sample;
  };
  return { side: withReads, results };
}
