import { createActions } from '../action/create-actions.ts';
import type { Signal } from '../change/signal.ts';
import { type AnyCall, type Request, toCall } from '../request/call.ts';
import { pages } from '../request/pages.ts';

/** Creates the calls of an entity, including its actions. Emits `written` after each call that may have written. */
export function createEntity(request: Request, path: string, written: Signal): unknown {
  const write: Request = async (to, options) => {
    const answer = await request(to, options);
    if (answer.ok && options.method !== 'GET') written.emit();
    return answer;
  };
  // A body has room for any query, and its lists and texts need no escaping.
  const query = toCall(request, 'POST', path, '/query');
  const list: AnyCall = (asked = {}, options) => query(asked, options);
  const remove = toCall(write, 'DELETE', path);
  return createActions(write, path, {
    list,
    pages: (asked: object, options: object) => pages(list, asked, options),
    get: toCall(request, 'GET', path),
    create: toCall(write, 'POST', path),
    update: toCall(write, 'PATCH', path),
    delete: (id: string, options: object) => remove(id, undefined, options),
    onWrite: written.subscribe,
  });
}
