import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createDashboardFiles,
  dashboardFolder,
} from '../../../local-runtime/server/dashboard-files.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'assets/page-1.js'), 'run();');
  await writeFile(join(folder, 'assets/page-1.js.br'), 'compressed');
  await writeFile(join(folder, 'licenses.md'), 'licences');
});
afterEach(() => rm(folder, { recursive: true }));

const notFound = (message: string) =>
  expect.objectContaining({ code: 'not_found', message: expect.stringContaining(message) });

describe('createDashboardFiles', () => {
  it('returns the page and its files with their types and compressed forms', async () => {
    const files = createDashboardFiles(folder);

    expect(await files.page()).toMatchObject({
      bytes: Buffer.from('<!doctype html>'),
      encoded: {},
      contentType: 'text/html; charset=utf-8',
      isImmutable: false,
    });
    expect(await files.asset('page-1.js')).toMatchObject({
      bytes: Buffer.from('run();'),
      encoded: { br: Buffer.from('compressed') },
      contentType: 'text/javascript; charset=utf-8',
      isImmutable: true,
    });
  });

  it.each([
    'page-1.js.br',
    '../index.html',
    '../licenses.md',
    '',
    '.',
    'page-1.js/',
    'page-1.js\0',
  ])('has no file %j', async (name) => {
    const files = createDashboardFiles(folder);

    await expect(files.asset(name)).rejects.toEqual(notFound('file not found'));
  });

  it.each(['nothing.js', 'assets/none.css', 'favicon.ico', 'jobs/1.map'])(
    'has no view named %s, as a file would be',
    async (name) => {
      await writeFile(join(folder, 'index.html'), 'the page');
      const files = createDashboardFiles(folder);

      await expect(files.view(name)).rejects.toMatchObject({ code: 'not_found' });
      expect((await files.view('jobs/0198.7')).bytes.toString()).toBe('the page');
    },
  );

  it('reads the files once', async () => {
    const files = createDashboardFiles(folder);
    const before = await files.page();

    await writeFile(join(folder, 'index.html'), 'another');

    expect(await files.page()).toBe(before);
  });

  it('does not follow symbolic links', async () => {
    await writeFile(join(folder, 'secret.js'), 'secret');
    await symlink(join(folder, 'secret.js'), join(folder, 'assets/link.js'));

    await expect(createDashboardFiles(folder).asset('link.js')).rejects.toEqual(
      notFound('file not found'),
    );
  });

  it('explains how to build a missing dashboard, and finds the dashboard after the build', async () => {
    const missing = createDashboardFiles(undefined);
    const later = createDashboardFiles(join(folder, 'later'));

    await expect(missing.page()).rejects.toEqual(notFound('npm run build'));
    await expect(later.page()).rejects.toEqual(notFound('npm run build'));
    await mkdir(join(folder, 'later'));
    await expect(later.page()).rejects.toEqual(notFound('npm run build'));
  });
});

describe('dashboardFolder', () => {
  it('returns the folder into which the build writes the page', async () => {
    const page = await createDashboardFiles(dashboardFolder()).page();

    expect(page.bytes.toString()).toContain('<div id="app">');
    expect(Object.keys(page.encoded)).toEqual(['br', 'gzip']);
  });
});
