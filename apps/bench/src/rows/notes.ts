import { signUpUsers } from '../load/accounts.ts';
import { readRecordsRequest, type SessionCookies, writeRecordRequest } from '../load/requests.ts';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import { type RoundSettings, runRounds, type Side, takeSample } from '../comparison/rounds.ts';
import { runClosedLoop } from '../load/load.ts';
import { exchangeOnce } from '../load/connection.ts';
import type { DatabaseKind } from '../servers/create-databases.ts';
import { floorScript } from '../servers/scripts.ts';
import type { RunningServer } from '../servers/start-server.ts';
import { withPair } from '../servers/with-pair.ts';
import { type Row, rowName } from './row.ts';

/** One thing that is done with notes; a request is that of a connection. */
interface Work {
  readonly name: string;
  readonly atLeast: Readonly<Record<DatabaseKind, number>>;
  readonly goodStatus: number;
  readonly request: (user: NoteUser) => string;
}

/** A user with a note of theirs, and the request that lists theirs. */
interface NoteUser {
  readonly cookies: SessionCookies;
  readonly id: string;
}

const path = '/api/notes';

const list: Work = {
  name: 'list',
  atLeast: { sqlite: 0.75, postgres: 0.75 },
  goodStatus: 200,
  request: ({ cookies }) => readRecordsRequest(cookies, path),
};

// Creating comes last: it makes the table grow.
const works: readonly Work[] = [
  {
    name: 'get',
    atLeast: { sqlite: 0.65, postgres: 0.75 },
    goodStatus: 200,
    request: ({ cookies, id }) => readRecordsRequest(cookies, `${path}/${id}`),
  },
  list,
  {
    name: 'update',
    atLeast: { sqlite: 0.7, postgres: 0.75 },
    goodStatus: 200,
    request: ({ cookies, id }) =>
      writeRecordRequest(cookies, {
        method: 'PATCH',
        path: `${path}/${id}`,
        values: { body: 'Tea, bread, apples, plums.' },
      }),
  },
  {
    name: 'create',
    atLeast: { sqlite: 0.7, postgres: 0.75 },
    goodStatus: 201,
    request: ({ cookies }) => createRequest(cookies),
  },
];

/** Notes of 32 users, each with 25 of their own, got, listed, changed and created, against the same by hand. */
export function notesRow(database: DatabaseKind): Row {
  const row = rowName('notes', database);
  return {
    name: row,
    run: (settings) => {
      const scripts = { floor: floorScript('by-hand/main'), ours: settings.demo };
      return withPair({ ...scripts, algorithm: 'ES256', database, cores: settings.cores }, (floor, ours) =>
        compareNotes({ row, atLeast: (work) => work.atLeast[database], floor, ours }, settings),
      );
    },
  };
}

/** The servers that do the same with notes, and the requirement for the second. */
interface NotesComparison {
  readonly row: string;
  readonly atLeast: (work: Work) => number;
  readonly floor: RunningServer;
  readonly ours: RunningServer;
}

/** Lets two servers do all the work with notes. */
export async function compareNotes(
  { row, atLeast, floor, ours }: NotesComparison,
  settings: RoundSettings,
): Promise<readonly Outcome[]> {
  const users = { floor: await createUsers(floor.port), ours: await createUsers(ours.port) };
  const outcomes: Outcome[] = [];
  for (const work of works) {
    const sides = { floor: sideOf(floor, work, users.floor), ours: sideOf(ours, work, users.ours) };
    const rounds = await runRounds(sides, settings);
    outcomes.push(evaluateThroughput({ row: `${row}: ${work.name}`, atLeast: atLeast(work) }, rounds));
  }
  return outcomes;
}

function createRequest(cookies: SessionCookies): string {
  const values = { title: 'Groceries', body: 'Tea, bread, apples.' };
  return writeRecordRequest(cookies, { method: 'POST', path, values });
}

const connections = 32;
const notesEach = 25;

/** Others than those whose sessions are refreshed on the same server. */
const firstUser = 1000;

async function createUsers(port: number): Promise<readonly NoteUser[]> {
  const users: NoteUser[] = [];
  for (const cookies of await signUpUsers(port, connections, firstUser)) {
    const { body } = await exchangeOnce(port, createRequest(cookies));
    for (let note = 1; note < notesEach; note += 1) await exchangeOnce(port, createRequest(cookies));
    users.push({ cookies, id: (JSON.parse(body) as { id: string }).id });
  }
  return users;
}

/** Signs users up with notes of their own; returns the load of listing them. */
export async function listNotesOf(server: RunningServer): Promise<Side> {
  return sideOf(server, list, await createUsers(server.port));
}

function sideOf({ pid, port }: RunningServer, { request, goodStatus }: Work, users: readonly NoteUser[]): Side {
  const requests = users.map(request);
  const load = { port, connections, goodStatus, request: (connection: number) => requests[connection] ?? '' };
  return (seconds) => takeSample(pid, () => runClosedLoop({ ...load, seconds }));
}
