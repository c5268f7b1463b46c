import { useSession } from '@x/client/react';
import type { ComponentType, ReactElement } from 'react';
import { useAddress } from './address/address.ts';
import { client } from './client.ts';
import { ProviderErrorScreen } from './entry/provider-error-screen.tsx';
import { SignInScreen } from './entry/sign-in-screen.tsx';
import { SignUpScreen } from './entry/sign-up-screen.tsx';
import { Workspace } from './frame/workspace.tsx';
import { OutboxScreen } from './outbox/outbox-screen.tsx';
import { ForgotPasswordScreen } from './password/forgot-password-screen.tsx';
import { ResetPasswordScreen } from './password/reset-password-screen.tsx';
import { ChallengeScreen } from './second-factor/challenge-screen.tsx';
import { StepUp } from './second-factor/step-up.tsx';
import { VerifyScreen } from './verification/verify-screen.tsx';

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
