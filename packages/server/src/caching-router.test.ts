import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { CachingRouter } from './caching-router.ts';

it('finds for each method and path what Hono finds, also from its cache', async () => {
  const apps = [new Hono(), new Hono({ router: new CachingRouter() })].map((app) => {
    app.use('/api/*', async (c, next) => {
      await next();
      c.header('X-Below', 'api');
    });
    app.get('/api/notes', (c) => c.text('list'));
    app.post('/api/notes', (c) => c.text('create'));
    app.post('/api/notes/query', (c) => c.text('query'));
    app.post('/api/notes/:id/share', (c) => c.text(`share ${c.req.param('id')}`));
    app.get('/api/notes/:id', (c) => c.text(`get ${c.req.param('id')}`));
    app.all('/anything', (c) => c.text(c.req.method));
    return app;
  });
  const paths = [
    '/api/notes',
    '/api/notes/query',
    '/api/notes/1',
    '/api/notes/1/share',
    '/anything',
    '/nothing',
    '/api',
  ];
  for (const method of ['GET', 'POST', 'PUT', 'get', 'HEAD', 'GET', 'POST', 'PUT']) {
    for (const path of paths) {
      const [hono, ours] = await Promise.all(apps.map(async (app) => describe(await app.request(path, { method }))));
      expect([method, path, ours]).toEqual([method, path, hono]);
    }
  }
});

async function describe(answer: Response): Promise<readonly unknown[]> {
  return [answer.status, answer.headers.get('X-Below'), await answer.text()];
}
