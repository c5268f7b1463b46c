import { LockKeyhole } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import { client } from '../client/client.ts';
import { tools } from '../text/tools.ts';

/** For how long a second factor is recent, and how often the server is asked whether it still is. */
const openMs = 300_000;
const askMs = 15_000;

/** Counts down until the vault has to be locked. The server knows when the code was given, and ends it earlier. */
export function Countdown(props: { readonly onOver: () => void }): ReactElement {
  const { onOver } = props;
  const [end] = useState(() => Date.now() + openMs);
  const [left, setLeft] = useState(openMs);
  const isOver = left <= 0;
  useEffect(() => {
    const count = (): void => setLeft((before) => Math.min(before, end - Date.now()));
    const timer = setInterval(count, 1000);
    // The timers of a hidden tab are slow, and those of a computer that sleeps stand still.
    document.addEventListener('visibilitychange', count);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', count);
    };
  }, [end]);
  useEffect(() => {
    if (isOver) return onOver();
    const ask = async (): Promise<void> => {
      const result = await client.entities.vault.list({ limit: 1, select: ['id'] });
      if (!result.ok && result.error.code === 'STEP_UP_REQUIRED') setLeft(0);
    };
    const timer = setInterval(() => void ask(), askMs);
    return () => clearInterval(timer);
    // Only the end of it matters, not which function is called then.
  }, [isOver]);
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <span role="timer" className="facts hint">
      <LockKeyhole aria-hidden /> {tools.vault.locks(time)}
    </span>
  );
}
