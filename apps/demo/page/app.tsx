import { useSession } from '@x/client/react';
import type { ComponentType, ReactElement } from 'react';
import { ForgotPasswordScreen, ResetPasswordScreen } from './account/password.tsx';
import { StepUp } from './account/step-up.tsx';
import { client } from './client/client.ts';
import { OutboxScreen } from './entry/outbox.tsx';
import { ChallengeScreen, ProviderErrorScreen, SignInScreen } from './entry/sign-in.tsx';
import { SignUpScreen } from './entry/sign-up.tsx';
import { VerifyScreen } from './entry/verification.tsx';
import { useAddress } from './screen/address.ts';
import { Workspace } from './workspace.tsx';

/** The page: what it shows follows from its address and from who is signed in. */
export function App(): ReactElement {
  const { status, user } = useSession(client);
  const { path, place } = useAddress();
  const AtPath = byPath[path];
  const [, name = '', rest = ''] = place.split('/');
  if (AtPath) return <AtPath />;
  if (name === 'outbox') return <OutboxScreen email={decodeURIComponent(rest)} />;
  if (status === 'loading') return <p className="screen hint">One moment…</p>;
  if (!user) {
    const ForNobody = forNobody[name] ?? SignInScreen;
    return <ForNobody />;
  }
  return (
    <StepUp key={`${user.id} ${user.tenantId}`}>
      <Workspace user={user} place={place} />
    </StepUp>
  );
}

/** Where mails and redirects lead, whoever follows them. */
const byPath: Readonly<Record<string, ComponentType>> = {
  '/verify': VerifyScreen,
  '/reset': ResetPasswordScreen,
  '/mfa': ChallengeScreen,
  '/auth/error': ProviderErrorScreen,
};

const forNobody: Readonly<Record<string, ComponentType>> = {
  'sign-up': SignUpScreen,
  'forgot-password': ForgotPasswordScreen,
};
