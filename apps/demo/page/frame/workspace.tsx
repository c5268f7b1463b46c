import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import { Menu } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { VerificationReminder } from '../entry/verification-reminder.tsx';
import { useLostOrganization } from '../organization/lost-organization.ts';
import { Dialog } from '../screen/dialog.tsx';
import { Brand, SkipLink } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { lazily } from './lazily.tsx';
import { useLeaveQuestion } from './leave-question.tsx';
import { OnDemand } from './on-demand.tsx';
import { Sidebar } from './sidebar.tsx';

const CommandPalette = lazily(() => import('./command-palette.tsx'));
const DeveloperDrawer = lazily(() => import('../developer/developer-drawer.tsx'));

/** The frame around every screen of a signed-in user. */
export default function Workspace(props: {
  readonly user: Serialized<User>;
  readonly children: ReactNode;
}): ReactElement {
  const { user, children } = props;
  const [open, setOpen] = useState<'palette' | 'developer' | null>(null);
  const close = (): void => setOpen(null);
  const { leave, question } = useLeaveQuestion();
  useLostOrganization();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((before) => (before === 'palette' ? null : 'palette'));
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div className="app">
      <SkipLink />
      <header className="topbar">
        <button className="quiet" popoverTarget="sidebar" aria-label={t.navigation.openMenu}>
          <Menu aria-hidden />
        </button>
        <Brand />
      </header>
      <Sidebar user={user} onSearch={() => setOpen('palette')} onDevelop={() => setOpen('developer')} />
      <div className="content">
        <Offline />
        {!user.emailVerified && <VerificationReminder email={user.email} />}
        {children}
      </div>
      {open === 'palette' && (
        <OnDemand
          place={(content) => (
            <Dialog title={t.palette.title} onClose={close}>
              {content}
            </Dialog>
          )}
        >
          <CommandPalette onClose={close} leave={leave} />
        </OnDemand>
      )}
      {open === 'developer' && (
        <OnDemand
          place={(content) => (
            <Dialog title={t.navigation.developer} side onClose={close}>
              {content}
            </Dialog>
          )}
        >
          <DeveloperDrawer onClose={close} />
        </OnDemand>
      )}
      {question}
    </div>
  );
}

/** Says that the browser has no network, so that what is shown may be old. */
function Offline(): ReactElement | null {
  const isOnline = useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );
  return isOnline ? null : (
    <p role="status" className="reminder">
      {t.failure.offline}
    </p>
  );
}
