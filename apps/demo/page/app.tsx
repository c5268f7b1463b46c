import { useSession } from '@x/client/react';
import type { ComponentType, ReactElement } from 'react';
import { Confirmation } from './account/confirmation.tsx';
import { ForgotPasswordScreen, ResetPasswordScreen } from './account/password.tsx';
import { client } from './client/client.ts';
import { OutboxScreen } from './entry/outbox.tsx';
import { ChallengeScreen, ProviderErrorScreen, SignInScreen } from './entry/sign-in.tsx';
import { SignUpScreen } from './entry/sign-up.tsx';
import { VerifyScreen } from './entry/verification.tsx';
import { decodePart, useAddress } from './screen/address.ts';
import { Workspace } from './workspace.tsx';

/** The page: what it shows follows from its address and from who is signed in. */
export function App(): ReactElement {
  const { status, user } = useSession(client);
  const { path, place } = useAddress();
  const AtPath = byPath.get(path);
  const [, name = '', rest = ''] = place.split('/');
  if (AtPath) return <AtPath />;
  if (name === 'outbox') return <OutboxScreen email={decodePart(rest)} />;
  if (status === 'loading') return <p className="screen hint">One moment…</p>;
  if (!user) {
    const ForNobody = forNobody.get(name) ?? SignInScreen;
    return <ForNobody />;
  }
  return (
    <Confirmation key={`${user.id} ${user.tenantId}`}>
      <Workspace user={user} place={place} />
    </Confirmation>
  );
}

// Maps, because anybody can write an address: an object would also find `constructor`.

/** Where mails and redirects lead, whoever follows them. */
const byPath: ReadonlyMap<string, ComponentType> = new Map([
  ['/verify', VerifyScreen],
  ['/reset', ResetPasswordScreen],
  ['/mfa', ChallengeScreen],
  ['/auth/error', ProviderErrorScreen],
]);

const forNobody: ReadonlyMap<string, ComponentType> = new Map([
  ['sign-up', SignUpScreen],
  ['forgot-password', ForgotPasswordScreen],
]);
