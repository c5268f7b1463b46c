import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import {
  Building2,
  CreditCard,
  FileText,
  FolderKanban,
  House,
  KeyRound,
  LogOut,
  type LucideIcon,
  Search,
  Settings,
  ShieldQuestion,
  StickyNote,
  TerminalSquare,
  Users,
} from 'lucide-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { hasFeature } from '../client/client.ts';
import { signOut } from '../entry/session-end.ts';
import { ActionButton } from '../form/action-button.tsx';
import { navigate, usePlace } from '../navigation/location.ts';
import { useOrganization } from '../organization/queries.ts';
import { t } from '../text/text.ts';
import { Appearance } from './appearance.tsx';

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
      <a href="/" className="brand">
        Tracker
      </a>
      {user.tenantId !== null && <OrganizationPicker currentId={user.tenantId} />}
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
      <div className="who">
        <a href="/account" className="avatar" aria-hidden tabIndex={-1}>
          {user.email.charAt(0).toUpperCase()}
        </a>
        <span className="clip" title={user.email}>
          {user.email}
        </span>
        <ActionButton
          className="quiet"
          label={t.navigation.signOut}
          send={signOut}
          onSent={() => navigate('/', 'replace')}
        >
          <LogOut aria-hidden />
        </ActionButton>
        <Appearance />
        {hasFeature('outbox') && (
          <button
            className="quiet"
            aria-label={t.navigation.developer}
            title={t.navigation.developer}
            onClick={onDevelop}
          >
            <TerminalSquare aria-hidden />
          </button>
        )}
      </div>
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

/** Switches between the organizations of the user, in every tab. */
function OrganizationPicker(props: { readonly currentId: string }): ReactElement | null {
  const { data, switchTo } = useOrganization();
  const listed = data?.tenants ?? [];
  const only = listed.length < 2 ? listed[0] : undefined;
  if (only) {
    return (
      <span className="organization clip" title={only.name}>
        {only.name}
      </span>
    );
  }
  const onChange = async (tenantId: string): Promise<void> => {
    const shown = location.pathname;
    const switched = await switchTo(tenantId);
    // The screen belongs to the organization that was left, unless its user has gone elsewhere meanwhile.
    if (switched.ok && location.pathname === shown) navigate('/');
  };
  return (
    <select
      className="organization"
      aria-label={t.navigation.organization}
      value={props.currentId}
      onChange={(event) => void onChange(event.target.value)}
    >
      {listed.map((tenant) => (
        <option key={tenant.id} value={tenant.id}>
          {tenant.name}
        </option>
      ))}
    </select>
  );
}
