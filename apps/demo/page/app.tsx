import { useSession } from '@x/client/react';
import { type ComponentType, type ReactElement, Suspense, useEffect, useRef } from 'react';
import { Confirmation } from './account/confirmation.tsx';
import { client } from './client/client.ts';
import { HasEnded, takeAsked } from './entry/session-end.ts';
import { ChallengeScreen, ProviderErrorScreen, SignInScreen } from './entry/sign-in.tsx';
import { SignUpScreen } from './entry/sign-up.tsx';
import { getWanted } from './entry/wanted.ts';
import { ErrorBoundary } from './frame/error-boundary.tsx';
import { lazily } from './frame/lazily.tsx';
import { NotFoundScreen } from './frame/not-found.tsx';
import { ScreenSketch } from './frame/screen-sketch.tsx';
import { navigate, screenOf, usePlace } from './navigation/location.ts';
import { type Match, matchPath } from './navigation/match.ts';
import type { PathName } from './navigation/paths.ts';
import { Announcements } from './screen/announce.tsx';

/** The page: its address and the signed-in user decide on its screen. */
export function App(): ReactElement {
  const { pathname } = usePlace();
  return (
    <>
      <ErrorBoundary key={screenOf(pathname)} place={pathname} narrow>
        <Suspense fallback={<ScreenSketch />}>
          <ScreenAt match={matchPath(pathname)} pathname={pathname} />
        </Suspense>
      </ErrorBoundary>
      <Announcements />
    </>
  );
}

function ScreenAt(props: { readonly match: Match | null; readonly pathname: string }): ReactElement | null {
  const { match, pathname } = props;
  const { status, user } = useSession(client);
  const hasEnded = useHasEnded(user?.id);
  const ForEverybody = match ? forEverybody[match.name] : undefined;
  if (ForEverybody) return <ForEverybody />;
  if (match?.name === 'providerError' && status !== 'loading')
    return <ProviderErrorScreen isSignedIn={user !== null} />;
  if (status === 'loading') return <ScreenSketch />;
  if (!user) {
    if (!match) return <NotFoundScreen narrow />;
    const ForNobody = forNobody[match.name] ?? SignInScreen;
    return (
      <HasEnded value={hasEnded}>
        <ForNobody />
      </HasEnded>
    );
  }
  const At = findScreen(match, user.tenantId !== null);
  return (
    <Confirmation key={`${user.id} ${user.tenantId}`}>
      <Workspace user={user}>
        <ErrorBoundary place={pathname}>
          <Suspense fallback={<ScreenSketch />}>
            <At {...match?.parameters} />
          </Suspense>
        </ErrorBoundary>
      </Workspace>
    </Confirmation>
  );
}

/** Whether the session that was here has ended without a sign-out in this tab. */
function useHasEnded(userId: string | undefined): boolean {
  const last = useRef(userId);
  const hasEnded = useRef(false);
  if (last.current !== userId) {
    hasEnded.current = userId === undefined && !takeAsked();
    last.current = userId;
  }
  return hasEnded.current;
}

type ByPath = Readonly<Partial<Record<PathName, ComponentType>>>;

/** The screens that mails and redirects lead to, for signed-in users and others. */
const forEverybody: ByPath = {
  verify: lazily(() => import('./entry/verify-screen.tsx')),
  resetPassword: lazily(() => import('./entry/reset-password.tsx')),
  challenge: ChallengeScreen,
  join: lazily(() => import('./entry/join.tsx')),
  outbox: lazily(() => import('./entry/outbox.tsx')),
};

const forNobody: ByPath = { signUp: SignUpScreen, forgotPassword: lazily(() => import('./entry/forgot-password.tsx')) };

/** The values of an address. */
interface Parameters {
  readonly id?: string;
  readonly part?: string;
}

type ScreenType = ComponentType<Parameters>;

/** The screen for an address; without an organization there is only what belongs to the user. */
function findScreen(match: Match | null, hasOrganization: boolean): ScreenType {
  if (!match) return Nowhere;
  const own = ofUser[match.name];
  if (own) return own;
  return hasOrganization ? (ofOrganization[match.name] ?? HomeScreen) : AccountScreen;
}

/** Leads from an entry screen to where the user was going before they signed in. */
const Onward: ScreenType = () => {
  useEffect(() => navigate(getWanted(), 'replace'));
  return <ScreenSketch />;
};

const Nowhere: ScreenType = () => <NotFoundScreen />;

const Workspace = lazily(() => import('./frame/workspace.tsx'));
const HomeScreen = lazily(() => import('./home/home-screen.tsx'));
// Most visits begin here: the code arrives beside the session that it waits for.
void import('./frame/workspace.tsx');
if (location.pathname === '/') void import('./home/home-screen.tsx');

const AccountScreen = lazily(() => import('./account/account-screen.tsx'));
const ProjectScreen: ScreenType = lazily(() => import('./project/project-screen.tsx'));
const OrganizationScreen: ScreenType = lazily(() => import('./organization/organization-screen.tsx'));

const ofUser: Readonly<Partial<Record<PathName, ScreenType>>> = {
  signIn: Onward,
  signUp: Onward,
  forgotPassword: Onward,
  account: AccountScreen,
  vault: lazily(() => import('./vault/vault-screen.tsx')),
};

const ofOrganization: Readonly<Partial<Record<PathName, ScreenType>>> = {
  home: HomeScreen,
  projects: lazily(() => import('./project/projects-screen.tsx')),
  project: ProjectScreen,
  projectPart: ProjectScreen,
  notes: lazily(() => import('./notes/notes-screen.tsx')),
  documents: lazily(() => import('./documents/documents-screen.tsx')),
  organization: OrganizationScreen,
  organizationPart: OrganizationScreen,
  access: lazily(() => import('./access/explorer-screen.tsx')),
};
