import { ChevronsUpDown, LogOut, Settings, TerminalSquare } from 'lucide-react';
import type { ReactElement } from 'react';
import { hasFeature } from '../client/client.ts';
import { signOut } from '../entry/session-end.ts';
import { ActionButton } from '../form/action-button.tsx';
import { navigate } from '../navigation/location.ts';
import { Avatar } from '../screen/avatar.tsx';
import { Menu } from '../screen/menu.tsx';
import { t } from '../text/text.ts';
import { Appearance } from './appearance.tsx';

/** Who is signed in, and what belongs to them wherever they are. A sign-out that fails says so in the menu. */
export function UserMenu(props: { readonly email: string; readonly onDevelop: () => void }): ReactElement {
  const { email, onDevelop } = props;
  return (
    <Menu
      label={t.navigation.userMenu(email)}
      className="picker who"
      icon={
        <>
          <Avatar name={email} />
          <span className="grow clip">{email}</span>
          <ChevronsUpDown aria-hidden />
        </>
      }
    >
      {() => (
        <>
          <Appearance />
          <a href="/account">
            <Settings aria-hidden /> {t.navigation.account}
          </a>
          {hasFeature('outbox') && (
            <button type="button" aria-haspopup="dialog" onClick={onDevelop}>
              <TerminalSquare aria-hidden /> {t.navigation.developer}
            </button>
          )}
          <ActionButton send={signOut} onSent={() => navigate('/', 'replace')}>
            <LogOut aria-hidden /> {t.navigation.signOut}
          </ActionButton>
        </>
      )}
    </Menu>
  );
}
