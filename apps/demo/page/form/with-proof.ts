import type { Confirmation } from '@x/client/react';
import { createContext } from 'react';

/** How forms and buttons make their calls. In the workspace, a call that needs a fresh proof waits for one. */
export const WithProof: React.Context<Confirmation['withProof']> = createContext<Confirmation['withProof']>((call) =>
  call(),
);
