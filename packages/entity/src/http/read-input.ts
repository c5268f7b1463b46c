import { CodedError } from '@x/errors';
import { readJson, readNothing } from '@x/http';
import type { Context } from 'hono';
import type { ActionShape } from '../action/action-shape.ts';

/**
 * Reads the input of an action. For `GET` it is the query, whose values are strings, or arrays if a name is repeated;
 * otherwise it is a JSON body. An action without input must be sent none.
 *
 * @throws CodedError as `readJson`, `INVALID_QUERY`
 */
export async function readInput(c: Context, { method, input }: ActionShape, bodyLimit: number): Promise<unknown> {
  if (method === 'GET') return readParameters(c, input !== undefined);
  if (input) return readJson(c, bodyLimit);
  await readNothing(c, bodyLimit);
  return undefined;
}

function readParameters(c: Context, isTaken: boolean): unknown {
  const parameters = c.req.queries();
  const entries = Object.entries(parameters).map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  if (!isTaken && entries.length > 0) throw new CodedError('INVALID_QUERY', 'This route takes no parameters.');
  return isTaken ? Object.fromEntries(entries.filter(([name]) => !reaching.has(String(name)))) : undefined;
}

/** Names that could reach a prototype. */
const reaching: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
