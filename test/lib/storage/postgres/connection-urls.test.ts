import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../lib/config/load-config.ts';
import { readConnectionUrls } from '../../../../lib/storage/postgres/connection-urls.ts';

const URL = 'postgres://bridge:secret@db.example/images';

async function read(env: Record<string, string>, set: readonly string[] = []) {
  const loaded = await loadConfig({ env: {}, cwd: '/nonexistent', set });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return readConnectionUrls(loaded.config.state.postgres, env);
}

describe('readConnectionUrls', () => {
  it('returns one URL for statements and notifications by default', async () => {
    expect(await read({ DATABASE_URL: URL })).toEqual({ url: URL, listenUrl: URL });
  });

  it('returns another URL for notifications if its variable is named', async () => {
    const listenUrl = 'postgresql://direct.example/images';
    const set = ['state.postgres.url_env=POOL', 'state.postgres.listen_url_env=DIRECT'];

    expect(await read({ POOL: URL, DIRECT: listenUrl }, set)).toEqual({ url: URL, listenUrl });
  });

  it.each([
    ['unset', {}],
    ['empty', { DATABASE_URL: '' }],
    ['a URL with an invalid port', { DATABASE_URL: 'postgres://bridge:secret@db.example:port/i' }],
    [
      'a URL with a missing certificate',
      { DATABASE_URL: `${URL}?sslmode=verify-full&sslrootcert=/nonexistent/root.crt` },
    ],
    ['the URL of another service', { DATABASE_URL: 'mysql://bridge:secret@db.example/images' }],
  ])('rejects a variable that is %s, and never repeats its value', async (_, env) => {
    const refusal = read(env);

    await expect(refusal).rejects.toThrow(
      /^state\.postgres\.url_env: the environment variable DATABASE_URL /,
    );
    await expect(refusal).rejects.not.toThrow(/secret/);
  });
});
