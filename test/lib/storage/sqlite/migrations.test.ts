import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Connection,
  connect,
  IN_MEMORY,
  schemaVersion,
} from '../../../../lib/storage/sqlite/connection.ts';
import { findStateProblems } from '../../../../lib/storage/sqlite/inspect-state.ts';
import {
  MIGRATIONS,
  migrate,
  refuseNewerSchema,
  SCHEMA_VERSION,
} from '../../../../lib/storage/sqlite/migrations.ts';

/** The table of jobs in a version without authorization scopes. */
const OWNERLESS_JOBS = `
  CREATE TABLE job (
    id TEXT PRIMARY KEY, status TEXT, created INTEGER, updated INTEGER,
    prompt TEXT, request TEXT, result TEXT, error TEXT
  );
  INSERT INTO job VALUES
    ('done', 'succeeded', 1, 2, 'a cat', '{"prompt":"a cat"}', '{"id":"r"}', NULL),
    ('broken', 'failed', 1, 2, 'a dog', '{"prompt":"a dog"}', NULL, '{"code":"upstream"}'),
    ('waiting', 'queued', 1, 1, 'a hen', '{"prompt":"a hen"}', NULL, NULL);`;

describe('migrate', () => {
  let connection: Connection;

  beforeEach(() => {
    connection = connect(IN_MEMORY);
  });
  afterEach(() => {
    connection.close();
  });

  function tables(): unknown[] {
    return connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
  }

  test('an empty database gets every table and the newest version', () => {
    migrate(connection);

    expect(tables()).toEqual([
      'artifact',
      'artifact_total',
      'billed_call',
      'charge',
      'job',
      'job_active',
      'job_batch',
      'job_change',
      'job_content',
      'job_image',
      'job_input',
      'job_label',
      'job_output',
      'job_parent',
      'job_scope',
      'job_total',
      'ledger',
      'ledger_row',
      'ledger_ticket',
      'meta',
      'owner',
      'preset',
      'queue',
      'session',
      'spending',
      'sqlite_sequence',
      'usage',
      'usage_model',
      'webhook',
    ]);
    expect(schemaVersion(connection)).toBe(SCHEMA_VERSION);
  });

  test('every table is strict', () => {
    migrate(connection);

    const loose = connection.prepare('SELECT name FROM pragma_table_list WHERE strict = 0').pluck();

    expect(loose.all()).toEqual(['sqlite_sequence', 'sqlite_schema', 'sqlite_temp_schema']);
  });

  test('a second migration changes nothing', () => {
    migrate(connection);
    connection.exec("INSERT INTO meta VALUES ('fact', x'00')");

    migrate(connection);

    expect(connection.prepare('SELECT name FROM meta').pluck().all()).toEqual(['fact']);
  });

  test('running jobs from before owners are kept without an owner and never run', () => {
    connection.exec(OWNERLESS_JOBS);

    migrate(connection);

    const jobs = connection.prepare(
      'SELECT id, scope, status, error_code, prompt FROM job ORDER BY seq',
    );
    const contents = connection.prepare('SELECT request, result FROM job_content ORDER BY seq');
    expect(jobs.raw().all()).toEqual([
      ['done', 'legacy-unowned', 'succeeded', null, 'a cat'],
      ['broken', 'legacy-unowned', 'failed', 'internal', 'a dog'],
      ['waiting', 'legacy-unowned', 'interrupted', 'cancelled', 'a hen'],
    ]);
    expect(contents.raw().all()).toEqual([
      ['{"prompt":"a cat"}', '{"id":"r"}'],
      ['{"prompt":"a dog"}', null],
      ['{"prompt":"a hen"}', null],
    ]);
    expect(
      connection.prepare('SELECT succeeded, failed, queued FROM job_total').raw().get(),
    ).toEqual([1, 1, 0]);
    expect(findStateProblems(connection)).toEqual([]);
  });

  test('a favourite from before own marks is its own favourite unless an image is a favourite', () => {
    migrate(connection, MIGRATIONS.slice(0, 11));
    const insert = connection.prepare(`
      INSERT INTO job (
        id, scope, status, favorite, artifacts, created, updated, started, completed, operation, provider, outputs,
        bytes, reserved, prompt
      ) VALUES (?, 'one', 'succeeded', ?, ?, 1, 1, 1, 1, 'generate', 'sandbox', 1, 1, 0, 'a cat')`);
    const artifact = { id: 'a'.repeat(32), note: '"favorite":true' };
    insert.run('job', 1, JSON.stringify([artifact]));
    insert.run('image', 1, JSON.stringify([{ ...artifact, favorite: true }]));
    insert.run('neither', 0, '[]');

    migrate(connection);

    const own = connection.prepare('SELECT id, own_favorite FROM job ORDER BY seq').raw().all();
    expect(own).toEqual([
      ['job', 1],
      ['image', 0],
      ['neither', 0],
    ]);
  });

  test('usage, open calls and ended calls from before models are kept without a model', () => {
    migrate(connection, MIGRATIONS.slice(0, 14));
    connection.exec(`
      INSERT INTO usage VALUES ('alice', 20000, 'sandbox', 3, 1, 1, 2, 50, 7, 2, 1);
      INSERT INTO ledger (id, token, day, outputs, reserved) VALUES ('one', 'alice', 20000, 1, 1);
      INSERT INTO ledger_row VALUES ('one', 0, 0, 'sandbox');
      INSERT INTO billed_call VALUES ('fal', 'call', 'alice', 20000, 7, 2, 0, 7);`);

    migrate(connection);

    const all = (table: string) => connection.prepare(`SELECT * FROM ${table}`).raw().all();
    expect(all('usage')).toEqual([['alice', 20_000, 'sandbox', 3, 1, 1, 2, 50, 7, 2, 1]]);
    expect(all('usage_model')).toEqual([]);
    expect(all('ledger_row')).toEqual([['one', 0, 0, 'sandbox', null]]);
    expect(all('billed_call')).toEqual([['fal', 'call', 'alice', 20_000, 7, 2, 0, 7, null]]);
  });

  test('a failed migration undoes the migrations before it', () => {
    const half = 'CREATE TABLE third (a) STRICT_; CREATE TABLE fourth (a);';
    migrate(connection, ['CREATE TABLE first (a)']);

    expect(() =>
      migrate(connection, ['CREATE TABLE first (a)', 'CREATE TABLE second (a)', half]),
    ).toThrow(/^state\.directory: migration 3 .* unchanged$/);
    expect(tables()).toEqual(['first']);
    expect(schemaVersion(connection)).toBe(1);
  });

  test('a migration that orphans rows fails', () => {
    const family = `
      CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE child (parent INTEGER REFERENCES parent (id)) STRICT;
      INSERT INTO parent VALUES (1);
      INSERT INTO child VALUES (1);`;
    migrate(connection, [family]);

    expect(() => migrate(connection, [family, 'DELETE FROM parent'])).toThrow('migration 2');
    expect(connection.prepare('SELECT count(*) FROM parent').pluck().get()).toBe(1);
  });
});

describe('refuseNewerSchema', () => {
  test.each([0, 1, SCHEMA_VERSION])('schema %i is accepted', (version) => {
    expect(() => refuseNewerSchema(version)).not.toThrow();
  });

  test.each([SCHEMA_VERSION + 1, 2 ** 31 - 1, -1])(
    'schema %i is rejected with its number',
    (version) => {
      expect(() => refuseNewerSchema(version)).toThrow(/^state\.directory: .*schema/);
    },
  );
});
