import type { ClientResult } from '@x/client';
import { createContext, type ReactElement, type ReactNode, useCallback, useState } from 'react';
import { StepUpDialog } from './step-up-dialog.tsx';

/** Sends something, and asks for the second factor where it needs a recent one: then it is sent once more. */
type SendWithStepUp = <T>(send: () => Promise<ClientResult<T>>) => Promise<ClientResult<T>>;

/** What sends with the second factor below {@link StepUp}. */
export const StepUpContext: React.Context<SendWithStepUp> = createContext<SendWithStepUp>((send) => send());

/** Lets all below it ask for the second factor. */
export function StepUp(props: { readonly children: ReactNode }): ReactElement {
  const [answer, setAnswer] = useState<((isGiven: boolean) => void) | null>(null);
  const sendWithStepUp: SendWithStepUp = useCallback(async (send) => {
    const refused = await send();
    if (refused.ok || refused.error.code !== 'STEP_UP_REQUIRED') return refused;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setAnswer(() => resolve);
    const isGiven = await promise;
    setAnswer(null);
    return isGiven ? send() : refused;
  }, []);
  return (
    <StepUpContext value={sendWithStepUp}>
      {props.children}
      {answer && <StepUpDialog onAnswer={answer} />}
    </StepUpContext>
  );
}
