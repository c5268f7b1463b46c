import { createStoredText } from '../navigation/stored-text.ts';

const key = 'tracker:vault-locked';
const lockedAt = createStoredText('localStorage', key);

/** Locks the vault in the other tabs. */
export function lockOtherTabs(): void {
  lockedAt.set(String(Date.now()));
}

/** Calls the listener when another tab locks the vault; returns what ends that. */
export function onLockedElsewhere(listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key) listener();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}
