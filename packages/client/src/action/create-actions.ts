import { type AnyCall, type Request, toCall } from '../request/call.ts';
import { lazily } from '../request/lazily.ts';

/**
 * Makes the actions below a path, whatever they are: which there are, and what they take, only types know. Each is a call
 * by `POST`, with one by each other method beside it.
 *
 * @param own - what has a name of its own there
 */
export function createActions(request: Request, path: string, own?: object): unknown {
  return lazily((action) => {
    const call = (method: string): AnyCall => toCall(request, method, path, `/${action}`);
    return lazily((method) => call(method.toUpperCase()), call('POST'));
  }, own);
}
