import { useEffect } from 'react';
import { onChangeElsewhere } from './changes.ts';

/** Has a list loaded again for what other tabs have written, too; what this one writes it knows of. */
export function useSyncedList<List extends { readonly reload: () => void }>(list: List): List {
  const { reload } = list;
  useEffect(() => onChangeElsewhere('records', reload), [reload]);
  return list;
}
