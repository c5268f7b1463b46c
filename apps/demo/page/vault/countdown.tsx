import { LockKeyhole } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import { client } from '../client/client.ts';
import { t } from '../text/text.ts';

/** For how long a code opens the vault, and how often the server is asked how old the last one is. */
const openMs = 300_000;
const askMs = 15_000;

/** Counts down until the vault has to be locked. The server knows when the last code was given, in whichever tab. */
export function Countdown(props: { readonly onOver: () => void }): ReactElement {
  const { onOver } = props;
  // Until the server has answered, it is known only that no code can be younger than now.
  const [{ end, isKnown }, setEnd] = useState(() => ({ end: Date.now() + openMs, isKnown: false }));
  const [left, setLeft] = useState(openMs);
  const isOver = left <= 0;
  useEffect(() => {
    const ask = async (): Promise<void> => {
      const askedAt = Date.now();
      const { data } = await client.auth.mfa.status();
      if (!data) return;
      const age = data.verifiedSecondsAgo === null ? openMs : data.verifiedSecondsAgo * 1000;
      setEnd({ end: askedAt + openMs - age, isKnown: true });
    };
    void ask();
    const timer = setInterval(() => void ask(), askMs);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    const count = (): void => setLeft(end - Date.now());
    count();
    const timer = setInterval(count, 1000);
    // The timers of a hidden tab are slow, and those of a computer that sleeps stand still.
    document.addEventListener('visibilitychange', count);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', count);
    };
  }, [end]);
  useEffect(() => {
    if (isOver) onOver();
    // Only the end of it matters, not which function is called then.
  }, [isOver]);
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <span role="timer" className="facts hint">
      <LockKeyhole aria-hidden /> {isKnown && t.vault.locks(time)}
    </span>
  );
}
