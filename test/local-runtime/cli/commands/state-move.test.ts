import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ArtifactRecord } from '../../../../lib/artifacts/artifact-store-port.ts';
import { publishedFiles } from '../../../../lib/artifacts/published-files.ts';
import { NO_COST } from '../../../../lib/contract/reply/cost.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createArtifactFiles } from '../../../../lib/storage/file-system/artifact-files.ts';
import { createStoredInputFiles } from '../../../../lib/storage/file-system/stored-input-files.ts';
import { connect } from '../../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../../lib/storage/sqlite/database.ts';
import { findProblems } from '../../../../lib/storage/sqlite/inspect-state.ts';
import { createSqliteStores } from '../../../../lib/storage/sqlite/sqlite-stores.ts';
import { lockStateDirectory } from '../../../../local-runtime/server/locks/state-lock.ts';
import { query } from '../../../support/engines/postgres-server.ts';
import { CREATED_SECS, editOf, FAILURE, jobRequest, newJob, WIDE } from '../../../support/jobs.ts';
import { emptySchema, HAS_POSTGRES } from '../../../support/postgres.ts';
import { runCommand } from '../../../support/run-command.ts';
import { emptyBucket, HAS_S3 } from '../../../support/s3-server.ts';

const ids = createIds(systemClock.nowMs);
const DAY = Math.floor(CREATED_SECS / 86_400);
// Text that neither database stores as it is: NUL, the escape of NUL, a letter outside the BMP, and a letter with a fold.
const PROMPT = 'Ein FÜCHSLEIN \0 \uFDD0 🦊';
const IMAGE = Buffer.from('an image');
const SIDECAR = Buffer.from('{}');
const INPUT = Buffer.from('an input image');

// The indexes and constraints of a schema, whose name is replaced.
const DEFINITIONS = `
  SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
  WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = '$'::regnamespace)
  UNION ALL
  SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
  WHERE connamespace = '$'::regnamespace ORDER BY definition`;

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-move-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Writes both configurations: SQLite with folders, and PostgreSQL with a bucket. Returns a function that runs `state move`. */
async function openSides() {
  const [place, s3] = [await emptySchema(), await emptyBucket()];
  vi.stubEnv('AWS_ACCESS_KEY_ID', s3.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.secretAccessKey);
  await writeFile(
    join(folder, 'one.toml'),
    `[state]
directory = "${folder}/state"
[artifacts]
root = "${folder}/images"
`,
  );
  await writeFile(
    join(folder, 'many.toml'),
    `[state]
driver = "postgres"
[state.postgres]
schema = "${place.schema}"
[artifacts]
driver = "s3"
[artifacts.s3]
bucket = "${s3.bucket}"
endpoint = "${s3.endpoint}"
region = "${s3.region}"
allow_http = true
path_style = true
`,
  );
  const io = { cwd: folder, env: { DATABASE_URL: place.url } };
  const run = async (from: string, to: string, ...more: string[]) => {
    const argv = ['state', 'move', '--config', `${from}.toml`, '--to', `${to}.toml`, ...more];
    const ended = await runCommand(argv, io);
    // The progress is printed every few seconds, so only on a slow machine.
    return { ...ended, stderr: ended.stderr.replace(/^\d+ .* copied\n/gm, '') };
  };
  const tables = async (sql: string) => query(place.url, sql.replaceAll('$', place.schema));
  return { bucket: s3.folder, run, tables };
}

const stateFile = () => stateDatabaseFile(join(folder, 'state'));

/** Fills the state and the folders of `one.toml` with every kind of row and file. */
async function fill(): Promise<void> {
  await mkdir(join(folder, 'state'));
  const database = openStateDatabase({ file: stateFile(), ids });
  const stores = createSqliteStores(database);
  const { jobs, artifacts } = stores;
  const files = createArtifactFiles({ root: join(folder, 'images'), clock: systemClock });
  await files.prepare();
  const inputs = createStoredInputFiles({ directory: join(folder, 'state'), clock: systemClock });
  await inputs.put(sha256Of(INPUT), INPUT);

  await jobs.submit(newJob({ scope: 'gone' }), WIDE);
  const running = newJob({ request: jobRequest({ prompt: PROMPT }), priority: 5 });
  const target = {
    url: 'https://example.org/ends',
    host: 'example.org',
    events: ['failed'] as const,
  };
  const { job } = await jobs.submit(
    { ...running, webhook: { ...target, events: ['failed'] } },
    WIDE,
  );
  const reservation = { ...WIDE.reservation, token: 'painter', allowance: 5 };
  const key = { hash: 'a'.repeat(64), fingerprint: 'b'.repeat(64) };
  await jobs.submit(newJob({ scope: 'other', request: editOf([sha256Of(INPUT)], INPUT.length) }), {
    ...WIDE,
    reservation,
    key,
  });
  // The first job ends and is removed, and its scope has no job then.
  const first = await jobs.claim(CREATED_SECS);
  await jobs.settle(first?.sequence ?? 0, {
    status: 'failed',
    completedSecs: CREATED_SECS,
    error: FAILURE,
  });
  await jobs.prune({
    completedBeforeSecs: 2e9,
    maxRetained: 1e6,
    maxRetainedBytes: 1e12,
    batch: 10,
  });
  await jobs.claim(CREATED_SECS);

  const publish = async (name: string, output?: number) => {
    const record: ArtifactRecord = {
      ...{ id: ids.newOpaqueId(), scope: 'anonymous', name: `${name}.png`, format: 'png' },
      ...{
        width: 2,
        height: 2,
        bytes: IMAGE.length,
        sha256: sha256Of(IMAGE),
        createdSecs: CREATED_SECS,
      },
      sidecar: { name: `${name}.json`, bytes: SIDECAR.length, sha256: sha256Of(SIDECAR) },
    };
    const facts = { job: output ?? 0, facts: { index: 0, generation_ms: 1 } };
    await artifacts.claim([record], output === undefined ? undefined : facts);
    await files.stage(`${record.id}.json`, SIDECAR);
    await files.stage(record.id, IMAGE);
    await files.publish(`${record.id}.json`, `${name}.json`);
    await files.publish(record.id, `${name}.png`);
    await files.settle(publishedFiles(record));
    return record.id;
  };
  await artifacts.publish([await publish('owner-a/fox')]);
  await publish('pending', job.sequence);

  const template = {
    operation: 'generate',
    prompt: 'an icon',
    parameters: {},
    output: {},
    routing: {},
  } as const;
  await stores.presets.create({
    ...{ name: 'icons', createdSecs: 1, updatedSecs: 2 },
    template: { ...template, session: {}, policies: {}, metadata: {} },
  });
  await stores.sessions.bind({ scope: 'a', provider: 'sandbox', key: 'fox' }, 'thread');
  const day = { token: 'painter', day: DAY, images: 2, allowance: 5, retryAfterMs: 1 };
  await stores.ledger.reserve({ id: 'open', ...day });
  await stores.ledger.addCall('open', { call: 0, provider: 'sandbox', indices: [0] });
  const counts = {
    provider: 'sandbox',
    images: 1,
    lost: 0,
    unknown: 1,
    failed: 0,
    tokens: undefined,
    cost: NO_COST,
    unpriced: 0,
  };
  await stores.ledger.record({ id: 'ended', ...day }, { renewals: 0, counts: [counts] });
  await database.close();
}

/** The names and the definitions of the indexes. */
function indexesOf(file: string): readonly unknown[] {
  const database = connect(file);
  try {
    const sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name";
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** All rows of the tables that a move copies, and the secret. */
function dump(): Readonly<Record<string, readonly unknown[]>> {
  const database = connect(stateFile());
  try {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_master
         WHERE type = 'table' AND name NOT IN ('owner', 'sqlite_stat1', 'sqlite_stat4')`,
      )
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
      ]),
    );
  } finally {
    database.close();
  }
}

describe.runIf(HAS_POSTGRES && HAS_S3)('state move', () => {
  test('a state with images that was moved to PostgreSQL and a bucket and back is the same state', async () => {
    const { run, tables, bucket } = await openSides();
    await fill();
    const [before, indexes] = [dump(), indexesOf(stateFile())];

    const there = await run('one', 'many');
    expect(there).toMatchObject({ exitCode: 0, stderr: '' });
    expect(there.stdout).toMatch(/^\d+ rows were moved, and every row and file was verified\./);
    expect(await readFile(join(bucket, 'owner-a/fox.png'))).toEqual(IMAGE);
    expect(await readFile(join(bucket, 'pending.json'))).toEqual(SIDECAR);
    expect(await tables('SELECT paused FROM $.queue')).toEqual([{ paused: 0 }]);
    expect(dump()['queue']).toEqual([expect.objectContaining({ paused: 1 })]);
    // Facts that only PostgreSQL stores: the folded prompts, the number of the newest job, and the number of each last change.
    expect(
      await tables("SELECT count(*) FROM $.job_text WHERE folded LIKE 'ein füchslein%🦊'"),
    ).toEqual([{ count: '1' }]);
    expect(await tables('SELECT last_seq FROM $.job_total')).toEqual([{ last_seq: '3' }]);
    expect(await tables('SELECT scope, changes FROM $.job_scope ORDER BY scope')).toEqual([
      { scope: 'anonymous', changes: '3' },
      { scope: 'gone', changes: '4' },
      { scope: 'other', changes: '1' },
    ]);

    await rm(join(folder, 'state'), { recursive: true });
    await rm(join(folder, 'images'), { recursive: true });
    // The folder of a move that was killed.
    await mkdir(join(folder, 'state/.state-move-killed'), { recursive: true });
    expect(await run('many', 'one')).toMatchObject({ exitCode: 0, stderr: '' });

    expect(dump()).toEqual(before);
    expect(findProblems(stateFile())).toEqual([]);
    expect(indexesOf(stateFile())).toEqual(indexes);
    expect(await readFile(join(folder, 'images/owner-a/fox.png'))).toEqual(IMAGE);
    expect((await readdir(join(folder, 'state'))).toSorted()).toEqual([
      'bridge.sqlite',
      'inputs',
      'lock',
    ]);
  });

  test('a target that is not empty is rejected, in both directions', async () => {
    const { run } = await openSides();
    await fill();
    await run('one', 'many');

    expect(await run('one', 'many')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/the schema "\w+" is not empty; set another schema/),
    });
    expect(await run('many', 'one')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /bridge\.sqlite exists, and a move needs a folder without a database/,
      ),
    });
  });

  test('a row that the target stores in another form stops the move, and the target stays empty', async () => {
    const { run, tables } = await openSides();
    await fill();
    const image = join(folder, 'images/owner-a/fox.png');
    await rename(image, join(folder, 'away.png'));
    await run('one', 'many');
    await rename(join(folder, 'away.png'), image);
    await tables(`
      CREATE FUNCTION $.change() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.prompt := NEW.prompt || ''!''; RETURN NEW; END';
      CREATE TRIGGER change BEFORE INSERT ON $.job FOR EACH ROW
        WHEN (NEW.scope = 'other') EXECUTE FUNCTION $.change()`);

    expect(await run('one', 'many')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/the table job differs after the copy \(2 of 2 rows\)/),
    });
    expect(await tables('SELECT FROM $.job')).toEqual([]);
    expect(dump()['queue']).toEqual([expect.objectContaining({ paused: 0 })]);
  });

  test('a move with a damaged image moves no rows, and a repeated move goes on', async () => {
    const { run, tables, bucket } = await openSides();
    await fill();
    const image = join(folder, 'images/owner-a/fox.png');
    await writeFile(image, 'other');

    expect(await run('one', 'many')).toMatchObject({
      exitCode: 1,
      stderr: `missing or damaged: owner-a/fox.png
image-bridge: 1 files of the source are missing or damaged; restore the files, or use --skip-damaged to move without the files
`,
    });
    expect(await tables('SELECT FROM $.job')).toEqual([]);
    expect(dump()['queue']).toEqual([expect.objectContaining({ paused: 0 })]);
    const definitions = await tables(DEFINITIONS);

    await writeFile(image, IMAGE);
    expect(await run('one', 'many')).toMatchObject({ exitCode: 0 });
    expect(await tables(DEFINITIONS)).toEqual(definitions);
    expect(await readFile(join(bucket, 'owner-a/fox.png'))).toEqual(IMAGE);
  });

  test('a move without damaged images succeeds with --skip-damaged', async () => {
    const { run, tables } = await openSides();
    await fill();
    await rm(join(folder, 'images/owner-a/fox.png'));

    expect(await run('one', 'many', '--skip-damaged')).toMatchObject({ exitCode: 0 });
    expect(await tables('SELECT FROM $.artifact')).toHaveLength(2);
  });

  test('a file of another program under the name of an image stops the move and is kept', async () => {
    const { run } = await openSides();
    await fill();
    await run('one', 'many');
    await rm(stateFile());
    const image = join(folder, 'images/owner-a/fox.png');
    await writeFile(image, 'foreign');

    expect(await run('many', 'one')).toMatchObject({
      exitCode: 1,
      stderr: 'image-bridge: another file has the name of the artifact owner-a/fox.png\n',
    });
    expect(await readFile(image, 'utf8')).toBe('foreign');
    expect(await readdir(join(folder, 'state'))).toEqual(['inputs', 'lock']);
  });

  test('a source or a target that a bridge is using is rejected', async () => {
    const { run, tables } = await openSides();
    await fill();
    const lock = lockStateDirectory(join(folder, 'state'));
    if (!lock.ok) throw new Error(lock.holder);
    expect(await run('one', 'many')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/is in use by process \d+; stop the bridge first\n$/),
    });
    lock.release();

    await run('one', 'many');
    await tables(`
      DELETE FROM $.replica;
      INSERT INTO $.replica VALUES ('r', 'one', 1, 0, 0, extract(epoch FROM now()) * 1000 + 60000)`);
    await rm(stateFile());
    expect(await run('many', 'one')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^image-bridge: state\.postgres: a replica is running, or was killed/,
      ),
    });
    expect(await readdir(join(folder, 'state'))).not.toContain('bridge.sqlite');
  });

  test('two configurations with the same driver are rejected', async () => {
    const { run } = await openSides();

    expect(await run('one', 'one')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^image-bridge: state\.driver: both configurations have "sqlite"/,
      ),
    });
  });
});
