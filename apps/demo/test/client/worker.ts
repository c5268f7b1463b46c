import { createClient } from '@x/client';

const client = createClient();
client.session.subscribe(({ status, user }) => {
  // To the page that started this worker, once there is something to say.
  if (status !== 'loading') (postMessage as (message: unknown) => void)({ status, email: user?.email });
});
