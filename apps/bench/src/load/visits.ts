import { randomUUID } from 'node:crypto';
import { createClientAddresses } from './accounts.ts';
import { Connection, type ServerResponse } from './connection.ts';
import type { LoadResult } from './load.ts';
import {
  credentialsOf,
  deleteRecordRequest,
  getSessionRequest,
  listSessionsRequest,
  readRecordsRequest,
  readSessionCookies,
  refreshRequest,
  type SessionCookies,
  signInRequest,
  signOutRequest,
  signUpRequest,
  writeRecordRequest,
  writeRequest,
} from './requests.ts';

/** A request of a visit, and the status of its success. Default: 200, 201 or 204. */
interface Step {
  readonly request: string;
  readonly status?: number;
}

/** The requests of one user from arriving to leaving, one at a time; each answer decides the next. */
type Visit<Result = void> = Generator<Step, Result, ServerResponse>;

/** The settings of a load of visits. */
interface VisitLoad {
  readonly port: number;
  readonly seconds: number;
  /** Creates the visit with a number, of which there is only one. */
  readonly createVisit: (number: number) => Visit;
}

/** Runs visits at full speed, one after the other on each of 32 connections; the end breaks them off. */
export async function runVisits({ port, seconds, createVisit }: VisitLoad): Promise<VisitResult> {
  const endsAt = performance.now() + seconds * 1000;
  const failures: Record<string, number> = {};
  const addFailure = (kind: string): void => void (failures[kind] = (failures[kind] ?? 0) + 1);
  let [requests, visits] = [0, 0];
  const drive = async (): Promise<void> => {
    const connection = await Connection.open(port);
    while (performance.now() < endsAt) {
      const visit = createVisit(visits++);
      for (let step = visit.next(); step.done !== true && performance.now() < endsAt;) {
        const { request, status } = step.value;
        const answer = await connection.exchange(request);
        requests += 1;
        if (status === undefined ? answer.status > 204 : answer.status !== status) {
          addFailure(
            `${request.slice(0, request.indexOf(' HTTP/1.1'))}: ${answer.status} ${answer.body.slice(0, 300)}`,
          );
          break;
        }
        step = visit.next(answer);
      }
    }
    connection.close();
  };
  const connections = Array.from({ length: 32 }, () => drive().catch((error: unknown) => addFailure(String(error))));
  await Promise.all(connections);
  return { requests, failures };
}

/** The outcome of the visits. */
interface VisitResult extends Pick<LoadResult, 'failures'> {
  readonly requests: number;
}

/**
 * A visit to the demo that uses all of it: accounts, pages, notes, an organization with its tasks, and paths that lead
 * nowhere.
 */
export function* visitDemo(number: number): Visit {
  yield* loadPage();
  const cookies = yield* enter(number);
  yield* keepNotes(cookies);
  yield* workOnTasks(cookies);
  yield* getLost(cookies);
  const refreshed = readSessionCookies(yield { request: refreshRequest(cookies, address()) });
  yield { request: listSessionsRequest(refreshed) };
  yield* keepNotes(refreshed);
  if (number % 20 === 0) yield get('/api/openapi.json');
  yield { request: signOutRequest(refreshed, address()) };
}

/** A visit with what the server by hand knows of that. */
export function* visitByHand(number: number): Visit {
  let cookies = yield* enter(number);
  for (let round = 0; round < 2; round += 1) {
    yield { request: listSessionsRequest(cookies) };
    for (let note = 0; note < 8; note += 1) {
      const path = yield* createRecord(cookies, '/api/notes', groceries(note));
      yield { request: readRecordsRequest(cookies, path) };
      yield change(cookies, path, { body: 'Tea and plums.' });
      yield { request: readRecordsRequest(cookies, '/api/notes') };
    }
    cookies = readSessionCookies(yield { request: refreshRequest(cookies, address()) });
  }
}

const address = createClientAddresses(5);

/** How many users there are that come again. */
const regulars = 64;

/** Signs in; the first visits, and every tenth, sign up. */
function* enter(number: number): Visit<SessionCookies> {
  const isNew = number < regulars || number % 10 === 0;
  const credentials = credentialsOf(isNew ? number : number % regulars);
  return readSessionCookies(yield { request: (isNew ? signUpRequest : signInRequest)(credentials, address()) });
}

function* loadPage(): Visit {
  const { body } = yield get('/');
  for (const [path] of body.matchAll(/\/assets\/[\w.-]+/g)) yield get(path);
}

const listQueries: readonly string[] = [
  '',
  '?orderBy=createdAt:desc&limit=10',
  '?where[pinned]=false&select=id,title',
  '?where[title][contains]=Grocer&count=true',
];

/** Adds to a list of notes and removes most of them. */
function* keepNotes(cookies: SessionCookies): Visit {
  for (const [index, query] of [...listQueries, ...listQueries].entries()) {
    const path = yield* createRecord(cookies, '/api/notes', groceries(index));
    yield { request: readRecordsRequest(cookies, path) };
    yield { request: readRecordsRequest(cookies, `/api/notes${query}`) };
    yield { request: getSessionRequest(cookies) };
    yield change(cookies, path, { body: 'Tea and plums.' });
    yield { request: readRecordsRequest(cookies, `/api/notes${query}`) };
    if (index > 0) yield { request: deleteRecordRequest(cookies, path) };
  }
}

/** Sets an organization up, works on the tasks of a project, and deletes the project. */
function* workOnTasks(cookies: SessionCookies): Visit {
  const organization = yield* createRecord(cookies, '/api/organizations', { name: 'Acme' });
  const organizationId = idIn(organization);
  const project = yield* createRecord(cookies, '/api/projects', { organizationId, name: 'Website' });
  const projectId = idIn(project);
  const resource = { type: 'project', id: projectId };
  for (let index = 0; index < 8; index += 1) {
    const task = yield* createRecord(cookies, '/api/tasks', { projectId, title: `Draw ${index}` });
    yield { request: readRecordsRequest(cookies, '/api/tasks?include=project,comments&access=task:read') };
    yield change(cookies, task, { priority: 'high' });
    yield* createRecord(cookies, '/api/comments', { taskId: idIn(task), body: 'Soon' });
    yield { request: readRecordsRequest(cookies, `${task}?include=comments,project`) };
    yield post(cookies, '/api/access/check', { checks: [{ entitlement: 'project:update', resource }] });
    yield { request: readRecordsRequest(cookies, '/api/projects') };
  }
  yield post(cookies, '/api/access/explain', { entitlement: 'project:update', resource });
  yield { request: deleteRecordRequest(cookies, project) };
}

function* getLost(cookies: SessionCookies): Visit {
  for (let index = 0; index < 4; index += 1) {
    yield { request: readRecordsRequest(cookies, `/api/notes/${randomUUID()}`), status: 404 };
    yield { request: writeRequest({ method: 'GET', path: `/nothing/${randomUUID()}` }), status: 404 };
    yield { request: writeRequest({ method: 'GET', path: '/api/notes' }), status: 401 };
  }
}

function groceries(number: number): object {
  return { title: `Groceries ${number}`, body: 'Tea, bread, apples. '.repeat(1 + number) };
}

/** Creates a record and returns its path. */
function* createRecord(cookies: SessionCookies, path: string, values: object): Visit<string> {
  const { body } = yield post(cookies, path, values);
  return `${path}/${(JSON.parse(body) as { readonly id: string }).id}`;
}

function idIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function get(path: string): Step {
  return { request: writeRequest({ method: 'GET', path }) };
}

function post(cookies: SessionCookies, path: string, values: object): Step {
  return { request: writeRecordRequest(cookies, { method: 'POST', path, values }) };
}

function change(cookies: SessionCookies, path: string, values: object): Step {
  return { request: writeRecordRequest(cookies, { method: 'PATCH', path, values }) };
}
