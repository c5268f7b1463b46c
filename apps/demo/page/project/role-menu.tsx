import { UserMinus } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { announce } from '../screen/announce.tsx';
import { Menu } from '../screen/menu.tsx';
import { t } from '../text/text.ts';

/** The menu of a person who has a role on a project itself: it takes the role away. */
export function RoleMenu(props: {
  readonly projectId: string;
  readonly userId: string;
  readonly name: string;
}): ReactElement {
  const { projectId, userId, name } = props;
  const isOwn = userId === useUser().id;
  return (
    <Menu label={t.common.moreFor(name)}>
      {() => (
        <ConfirmButton
          title={t.project.unshareLabel(name)}
          body={t.project.unshareBody(name)}
          submit={t.project.unshare}
          send={() =>
            cache.write(() => client.entities.projects.unshare(projectId, { userId }, { keepsAccess: !isOwn }), {
              touches: isOwn ? ['projects', 'roles', 'tasks'] : ['roles'],
            })
          }
          onSent={() => announce(t.project.unshared(name))}
        >
          <UserMinus aria-hidden /> {t.project.unshare}
        </ConfirmButton>
      )}
    </Menu>
  );
}
