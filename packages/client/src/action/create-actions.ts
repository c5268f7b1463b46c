import { type AnyCall, type Request, toCall } from '../request/call.ts';
import { lazily } from '../request/lazily.ts';

/**
 * Creates the calls of the actions below a path, whatever their names: only types know which exist and what they take.
 * Each sends a `POST`, and has a member for each other method.
 *
 * @param own - members with a meaning of their own
 */
export function createActions(request: Request, path: string, own?: object): unknown {
  return lazily((action) => {
    const call = (method: string): AnyCall => toCall(request, method, path, `/${action}`);
    return lazily((method) => call(method.toUpperCase()), call('POST'));
  }, own);
}
