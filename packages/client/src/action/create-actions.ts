import { type AnyCall, type Request, toCall } from '../request/call.ts';
import { createMembersOnDemand } from '../request/lazily.ts';

/**
 * Creates the calls of the actions below a path, whatever their names: only types know which exist and what they take.
 * Each sends a `POST`, and has a member for each other method.
 *
 * @param own - members with a meaning of their own
 */
export function createActions(request: Request, path: string, own?: object): unknown {
  return createMembersOnDemand((action) => {
    const call = (method: string): AnyCall => toCall(request, method, path, `/${action}`);
    return createMembersOnDemand((method) => call(method.toUpperCase()), call('POST'));
  }, own);
}
