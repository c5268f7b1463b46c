import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import {
  Building2,
  CreditCard,
  FileText,
  FolderKanban,
  House,
  KeyRound,
  type LucideIcon,
  Search,
  Settings,
  ShieldQuestion,
  StickyNote,
  Users,
} from 'lucide-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { hasFeature } from '../client/client.ts';
import { usePlace } from '../navigation/location.ts';
import { Brand } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { OrganizationPicker } from './organization-picker.tsx';
import { UserMenu } from './user-menu.tsx';

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

/** Where one can go, in which organization, as whom. On a phone it is a drawer. */
export function Sidebar(props: {
  readonly user: Serialized<User>;
  readonly onSearch: () => void;
  readonly onDevelop: () => void;
}): ReactElement {
  const { user, onSearch, onDevelop } = props;
  const { pathname } = usePlace();
  const drawer = useRef<HTMLElement>(null);
  // On a phone, the chosen screen is below the drawer.
  useEffect(() => {
    if (drawer.current?.matches(':popover-open')) drawer.current.hidePopover();
  }, [pathname]);
  return (
    <aside ref={drawer} id="sidebar" className="sidebar" popover="auto" aria-label={t.navigation.sidebar}>
      <Brand />
      <OrganizationPicker />
      <button className="search" aria-keyshortcuts="Control+K Meta+K" onClick={onSearch}>
        <Search aria-hidden /> {t.navigation.search} <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav aria-label={t.navigation.label}>
        {listDestinations(user.tenantId !== null).map(({ href, text, icon: Icon }) => (
          <a key={href} href={href} aria-current={isCurrent(pathname, href) ? 'page' : undefined}>
            <Icon aria-hidden />
            {text}
          </a>
        ))}
      </nav>
      <UserMenu email={user.email} onDevelop={onDevelop} />
    </aside>
  );
}

interface Destination {
  readonly href: string;
  readonly text: string;
  readonly icon: LucideIcon;
}

/** The screens that one can always go to; without an organization, only those of the user. */
export function listDestinations(hasOrganization: boolean): readonly Destination[] {
  const { navigation } = t;
  const ofOrganization = [
    { href: '/', text: navigation.home, icon: House },
    { href: '/projects', text: navigation.projects, icon: FolderKanban },
    { href: '/notes', text: navigation.notes, icon: StickyNote },
    { href: '/documents', text: navigation.documents, icon: FileText },
  ];
  // Only a second factor opens the vault.
  const vault = hasFeature('mfa') ? [{ href: '/vault', text: navigation.vault, icon: KeyRound }] : [];
  const managing = [
    { href: '/organization/members', text: navigation.members, icon: Users },
    { href: '/organization/plan', text: navigation.plan, icon: CreditCard },
    { href: '/organization', text: navigation.organization, icon: Building2 },
    { href: '/access', text: navigation.access, icon: ShieldQuestion },
  ];
  const account = { href: '/account', text: navigation.account, icon: Settings };
  return hasOrganization ? [...ofOrganization, ...vault, ...managing, account] : [...vault, account];
}

/**
 * A destination is where the user is, too, below it: on a project, or on a part of the organization without its own.
 */
function isCurrent(pathname: string, href: string): boolean {
  if (href === '/') return pathname === '/';
  if (href === '/organization') return /^\/organization(\/(roles|history|danger))?$/.test(pathname);
  return pathname === href || pathname.startsWith(`${href}/`);
}
