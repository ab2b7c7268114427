import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../../lib/storage/sqlite/jobs/job-store.ts';
import { createQueueStore } from '../../../../lib/storage/sqlite/jobs/queue-store.ts';
import { createLedgerStore } from '../../../../lib/storage/sqlite/ledger-store.ts';
import { MIGRATIONS } from '../../../../lib/storage/sqlite/migrations.ts';
import { createSqliteInspection } from '../../../../lib/storage/sqlite/state-inspection.ts';
import { runStateMigrate } from '../../../../local-runtime/cli/commands/state.ts';
import { lockStateDirectory } from '../../../../local-runtime/server/locks/state-lock.ts';
import { FAILURE, newJob, WIDE } from '../../../support/jobs.ts';
import { runCommand, testIo } from '../../../support/run-command.ts';

const ids = createIds(() => 0);

let folder: string;
let database: StateDatabase;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-state-command-'));
  database = openStateDatabase({ file: stateDatabaseFile(folder), ids });
  await createJobStore(database).submit(newJob(), WIDE);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

function run(...argv: string[]) {
  return runCommand(['state', ...argv, '--set', `state.directory=${folder}`], { cwd: folder });
}

async function jobsIn(name: string): Promise<number> {
  const opened = openStateDatabase({ file: join(folder, name), ids });
  const { byStatus } = await createJobStore(opened).totals();
  await opened.close();
  return byStatus.queued;
}

describe('state check', () => {
  it('accepts a valid database while a bridge uses it', async () => {
    expect(await run('check')).toEqual({
      exitCode: 0,
      stdout: 'The database is valid.\n',
      stderr: '',
    });
  });

  it('prints one line for each finding and exits 1', async () => {
    database.prepare('UPDATE job_total SET queued = 5, hidden = 5').run();

    expect(await run('check')).toEqual({
      exitCode: 1,
      stdout: 'job_total.queued is 5 and must be 1\njob_total.hidden is 5 and must be 0\n',
      stderr: '',
    });
  });

  it('does not change the directory of a stopped bridge', async () => {
    await database.close();
    const before = await readFile(stateDatabaseFile(folder));

    await run('check');

    expect(await readdir(folder)).toEqual(['bridge.sqlite']);
    expect(await readFile(stateDatabaseFile(folder))).toEqual(before);
  });

  it('makes no database where there is none', async () => {
    await database.close();
    await rm(stateDatabaseFile(folder));

    const result = await run('check');

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: 'image-bridge: state.directory: the folder contains no database\n',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['that is newer', 99, /^image-bridge: state\.directory: the database has schema 99, newer/],
    ['that is older', 0, /^image-bridge: state\.directory: the database has schema 0, older/],
  ])('reports a schema %s', async (_, version, message) => {
    database.prepare(`PRAGMA user_version = ${version}`).run();
    await database.close();

    const result = await run('check');

    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(message) });
  });

  it('reports a file that is not a database', async () => {
    await database.close();
    await writeFile(stateDatabaseFile(folder), 'no database at all '.repeat(100));

    expect(await run('check')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^image-bridge: state\.directory: the database \S+bridge\.sqlite is damaged .*state restore FILE\n$/,
      ),
    });
  });
});

describe('state migrate of an empty database', () => {
  it('is rejected if artifacts exist, because a new database would not contain them', async () => {
    await database.close();
    await writeFile(stateDatabaseFile(folder), '');
    await mkdir(join(folder, 'artifacts/.staging'), { recursive: true });

    const result = await run('migrate', '--set', `artifacts.root=${folder}/artifacts`);

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${stateDatabaseFile(folder)} is empty, but`),
    });
    expect(await readFile(stateDatabaseFile(folder), 'utf8')).toBe('');
  });
});

describe('state backup', () => {
  it('copies the database while a bridge uses it, to a file that only its owner can read', async () => {
    const result = await run('backup', 'copy.sqlite');

    expect(result).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect((await stat(join(folder, 'copy.sqlite'))).mode & 0o777).toBe(0o600);
    const copy = openStateDatabase({ file: join(folder, 'copy.sqlite'), ids });
    expect(await createJobStore(copy).totals()).toEqual(await createJobStore(database).totals());
    expect(copy.secret).toEqual(database.secret);
    await copy.close();
  });

  it('never overwrites a file', async () => {
    await writeFile(join(folder, 'taken'), 'precious');

    const result = await run('backup', 'taken');

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: 'image-bridge: the backup file already exists\n',
    });
    expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('precious');
  });

  it('reports a damaged database and makes no copy', async () => {
    await database.close();
    const file = stateDatabaseFile(folder);
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xa5, 4096));

    const result = await run('backup', 'copy.sqlite');

    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is damaged') });
    expect(await readdir(folder)).not.toContain('copy.sqlite');
  });

  it.each([
    ['no/such/folder/copy', 'its temporary folder cannot be created: ENOENT'],
    ['bridge.sqlite/copy', 'its temporary folder cannot be created: ENOTDIR'],
    ['x'.repeat(300), 'the copy cannot get its final name: ENAMETOOLONG'],
  ])(
    'reports at which step the copy %s cannot be written, and writes nothing',
    async (to, step) => {
      const before = await readdir(folder);

      const result = await run('backup', to);

      expect(result).toMatchObject({
        exitCode: 1,
        stderr: `image-bridge: a copy of the state database cannot be written (${step}); nothing was changed\n`,
      });
      expect(await readdir(folder)).toEqual(before);
    },
  );
});

describe('state restore', () => {
  const PAUSED = `The queue is paused, because the queued jobs may have run since the backup was made.
Start the bridge, cancel the jobs that have already run, then use: image-bridge queue resume
`;

  it('runs no queued job of a copy before the queue is resumed', async () => {
    await database.close();
    const copy = join(folder, 'copy.sqlite');
    await openStateDatabase({ file: copy, ids }).close();

    const result = await run('restore', 'copy.sqlite');

    const restored = openStateDatabase({ file: stateDatabaseFile(folder), ids });
    const queue = createQueueStore(restored);
    expect(result.exitCode).toBe(0);
    expect(await queue.read()).toMatchObject({ paused: true });
    await createJobStore(restored).submit(newJob(), WIDE);
    expect(await createJobStore(restored).claim(1)).toBeUndefined();
    await queue.setPaused(false);
    expect(await createJobStore(restored).claim(1)).toBeDefined();
    await restored.close();
  });

  it('continues no running job of a copy, because the original may have sent its further calls', async () => {
    const { id = '' } = (await createJobStore(database).claim(1)) ?? {};
    const ledger = createLedgerStore(database);
    await ledger.addCall(id, { call: 0, provider: 'sandbox', indices: [0] });
    await ledger.accept(id, { call: 0, model: 'a-model', ticket: 'a ticket' });
    await run('backup', 'copy.sqlite');
    await database.close();

    const result = await run('restore', 'copy.sqlite');

    const restored = openStateDatabase({ file: stateDatabaseFile(folder), ids });
    const jobs = createJobStore(restored);
    expect(result.exitCode).toBe(0);
    expect(await jobs.resumeAbandoned({ atSecs: 2, error: FAILURE })).toBeUndefined();
    expect(await jobs.interruptAbandoned({ atSecs: 2, error: FAILURE })).toBe(1);
    await restored.close();
  });

  it('replaces the database with a backup and keeps the replaced database', async () => {
    await run('backup', 'copy.sqlite');
    await createJobStore(database).submit(newJob(), WIDE);
    await database.close();

    const result = await run('restore', 'copy.sqlite');

    expect(result).toEqual({
      exitCode: 0,
      stdout: `The database was restored. The replaced database is kept as bridge.replaced-1.sqlite.\n${PAUSED}`,
      stderr: '',
    });
    expect(await jobsIn('bridge.sqlite')).toBe(1);
    expect(await jobsIn('bridge.replaced-1.sqlite')).toBe(2);
    expect(await run('check')).toMatchObject({ exitCode: 0 });
  });

  it('removes the copy left by an interrupted restore', async () => {
    await run('backup', 'copy.sqlite');
    await database.close();
    await mkdir(join(folder, '.state-restore-Ab12Cd'));
    await writeFile(join(folder, '.state-restore-Ab12Cd/copy.sqlite'), 'prompts');

    const result = await run('restore', 'copy.sqlite');

    expect(result.exitCode).toBe(0);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('restores into a directory that does not exist yet', async () => {
    await run('backup', 'copy.sqlite');

    const result = await runCommand(
      ['state', 'restore', 'copy.sqlite', '--set', `state.directory=${folder}/new`],
      { cwd: folder },
    );

    expect(result).toMatchObject({ exitCode: 0, stdout: `The database was restored.\n${PAUSED}` });
    expect(await jobsIn('new/bridge.sqlite')).toBe(1);
  });

  it('replaces a damaged database and keeps its log', async () => {
    await run('backup', 'copy.sqlite');
    await createJobStore(database).submit(newJob(), WIDE);
    const log = await readFile(`${stateDatabaseFile(folder)}-wal`);
    await database.close();
    await writeFile(stateDatabaseFile(folder), 'no database at all '.repeat(100));
    await writeFile(`${stateDatabaseFile(folder)}-wal`, log);

    const result = await run('restore', 'copy.sqlite');

    expect(result.exitCode).toBe(0);
    expect(await jobsIn('bridge.sqlite')).toBe(1);
    expect(await readFile(join(folder, 'bridge.replaced-1.sqlite'), 'utf8')).toMatch(/^no data/);
    expect(await readFile(join(folder, 'bridge.replaced-1.sqlite-wal'))).toEqual(log);
  });

  it('keeps a foreign journal with the replaced database', async () => {
    await run('backup', 'copy.sqlite');
    await database.close();
    const journal = Buffer.alloc(8192);
    // The header of a journal that would truncate the database to zero pages if it were rolled back.
    Buffer.from('d9d505f920a163d70000000000000000000000000000020000001000', 'hex').copy(journal);
    await runCommand(['state', 'backup', 'second.sqlite', '--set', `state.directory=${folder}`], {
      cwd: folder,
    });
    await rename(join(folder, 'second.sqlite'), stateDatabaseFile(folder));
    await writeFile(`${stateDatabaseFile(folder)}-journal`, journal);

    const result = await run('restore', 'copy.sqlite');

    expect(result.exitCode).toBe(0);
    expect(await jobsIn('bridge.sqlite')).toBe(1);
    expect(await readFile(join(folder, 'bridge.replaced-1.sqlite-journal'))).toEqual(journal);
  });

  it('fails while a bridge uses the directory', async () => {
    await run('backup', 'copy.sqlite');
    const lock = lockStateDirectory(folder);

    const result = await run('restore', 'copy.sqlite');

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        / is in use by (another process|process \d+); stop the bridge first/,
      ),
    });
    if (lock.ok) lock.release();
  });

  it.each([
    ['does not exist', async () => {}],
    ['is not a database of a bridge', (file: string) => writeFile(file, 'a letter '.repeat(100))],
    ['is not a database of a bridge', (file: string) => writeFile(file, '')],
    [
      'is not valid: job_total.queued is 5 and must be 1',
      async (file: string) => {
        database.prepare('UPDATE job_total SET queued = 5').run();
        await run('backup', file);
        database.prepare('UPDATE job_total SET queued = 1').run();
      },
    ],
    [
      'is damaged',
      async (file: string) => {
        await run('backup', file);
        const bytes = await readFile(file);
        await writeFile(file, bytes.fill(0xa5, 4096));
      },
    ],
  ])('rejects a file that %s, and changes nothing', async (reason, write) => {
    await write(join(folder, 'copy.sqlite'));
    await database.close();
    const before = await readFile(stateDatabaseFile(folder));

    const result = await run('restore', 'copy.sqlite');

    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain(`image-bridge: the file to restore ${reason}`);
    expect(await readFile(stateDatabaseFile(folder))).toEqual(before);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('state migrate', () => {
  const NEXT = [...MIGRATIONS, 'CREATE TABLE later (a TEXT) STRICT'];

  /** Runs the command as a later version with these migrations would. */
  async function migrateLater(migrations: readonly string[], dryRun: boolean) {
    await database.close();
    const stdout: string[] = [];
    const stderr: string[] = [];
    const io = {
      ...testIo(folder),
      stdout: (text: string) => void stdout.push(text),
      stderr: (text: string) => void stderr.push(text),
    };
    const options = { config: undefined, set: [`state.directory=${folder}`], dryRun };
    const exitCode = await runStateMigrate({ args: {}, options, io }, async ({ state }) =>
      createSqliteInspection(state, migrations),
    );
    return { exitCode, stdout: stdout.join(''), stderr: stderr.join('') };
  }

  it('has nothing to do for a database of the newest schema', async () => {
    expect(await run('migrate')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('already has the newest schema'),
    });
  });

  it('makes no database where there is none', async () => {
    await database.close();
    await rm(stateDatabaseFile(folder));

    const result = await run('migrate');

    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('does not exist yet'),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('migrates a copy with --dry-run and changes nothing', async () => {
    const result = await migrateLater(NEXT, true);

    expect(result).toEqual({
      exitCode: 0,
      stdout: `A copy was migrated from schema ${MIGRATIONS.length} to ${NEXT.length} and is valid.\n`,
      stderr: '',
    });
    expect(await readdir(folder)).toEqual(['bridge.sqlite']);
    expect(await run('check')).toMatchObject({ exitCode: 0 });
  });

  it('reports with --dry-run the error of a migration that would fail', async () => {
    const failing = [...NEXT, 'NO SQL'];

    const result = await migrateLater(failing, true);

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`migration ${failing.length} of the database failed`),
    });
    expect(await readdir(folder)).toEqual(['bridge.sqlite']);
  });

  it('migrates and keeps a copy of the old database', async () => {
    const copy = `bridge.schema-${MIGRATIONS.length}.sqlite`;

    const result = await migrateLater(NEXT, false);

    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(copy),
    });
    expect(await readdir(folder)).toContain(copy);
    expect(await run('check')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`schema ${NEXT.length}, newer than ${MIGRATIONS.length}`),
    });
  });
});

describe('state', () => {
  it.each([[], ['repair'], ['check', 'x'], ['backup'], ['backup', ''], ['backup', 'a', 'b']])(
    'refuses the words %j with its usage',
    async (...argv: string[]) => {
      const result = await run(...argv);

      expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^usage: /) });
    },
  );

  it('reports an invalid configuration with its field', async () => {
    const result = await run('check', '--set', 'server.bnid=1');

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('server.bnid') });
  });
});
