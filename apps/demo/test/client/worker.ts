import { createClient } from '@x/client';

const client = createClient();
client.session.subscribe(() => {
  const { status, user } = client.session.getSnapshot();
  // To the page that started this worker.
  (postMessage as (message: unknown) => void)({ status, email: user?.email });
});
