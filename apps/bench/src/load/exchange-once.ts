import { Connection } from './connection.ts';
import type { Answer } from './parse-answer.ts';

/**
 * Sends one request on a connection of its own.
 *
 * @throws Error where the answer's status is none of 200 and 201
 */
export async function exchangeOnce(port: number, request: string): Promise<Answer> {
  const connection = await Connection.open(port);
  try {
    const answer = await connection.exchange(request);
    if (answer.status === 200 || answer.status === 201) return answer;
    throw new Error(`${request.slice(0, request.indexOf('\r\n'))}: ${answer.status} ${answer.body}`);
  } finally {
    connection.close();
  }
}
