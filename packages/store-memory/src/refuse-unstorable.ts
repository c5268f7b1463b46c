import { isStorableText } from '@x/store';
import { unstorableText } from '@x/store/engine';

/**
 * Wraps a store so that its steps refuse texts that not every engine can store. JSON in their arguments is not checked.
 *
 * @param others - the names of the methods that are not wrapped
 */
export function refuseUnstorable<Store extends object>(store: Store, others: readonly (keyof Store)[] = []): Store {
  const methods = Object.entries(store as Readonly<Record<string, Method>>).map(([name, method]) => {
    const isOther = others.some((other) => other === name);
    return [name, isOther ? method : refusing(method)] as const;
  });
  return Object.fromEntries(methods) as unknown as Store;
}

type Method = (...given: readonly unknown[]) => unknown;

function refusing(method: Method): Method {
  return async (...given) => {
    if (!given.every(isStorable)) throw unstorableText();
    return method(...given);
  };
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(
    ([name, member]) => isNoText(name, member) || (isStorableText(name) && isStorable(member)),
  );
}

/**
 * Members that are not checked as texts: JSON, the values of a row, which are checked against their table, and cursors,
 * which are parsed.
 */
function isNoText(name: string, member: unknown): boolean {
  if (name === 'values') return !Array.isArray(member);
  return name === 'fields' || name === 'detail' || (name === 'after' && typeof member === 'string');
}
