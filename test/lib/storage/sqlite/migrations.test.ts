import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Connection,
  connect,
  IN_MEMORY,
  schemaVersion,
} from '../../../../lib/storage/sqlite/connection.ts';
import { JOB } from '../../../../lib/storage/sqlite/migrations/0004-job.ts';
import {
  MIGRATIONS,
  migrate,
  refuseNewerSchema,
  SCHEMA_VERSION,
} from '../../../../lib/storage/sqlite/migrations.ts';

/** A database whose jobs have no owner, as in one without authorization scopes. */
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

  test('an empty database gets every table and the newest number', () => {
    migrate(connection);

    expect(tables()).toEqual([
      'artifact',
      'artifact_total',
      'charge',
      'job',
      'job_active',
      'job_change',
      'job_content',
      'job_input',
      'job_output',
      'job_scope',
      'job_total',
      'ledger',
      'ledger_row',
      'meta',
      'owner',
      'preset',
      'queue',
      'session',
      'sqlite_sequence',
      'usage',
      'webhook',
    ]);
    expect(schemaVersion(connection)).toBe(SCHEMA_VERSION);
  });

  test('every table is strict', () => {
    migrate(connection);

    const loose = connection.prepare('SELECT name FROM pragma_table_list WHERE strict = 0').pluck();

    expect(loose.all()).toEqual(['sqlite_sequence', 'sqlite_schema', 'sqlite_temp_schema']);
  });

  test.each(MIGRATIONS.map((_, index) => index))(
    'a database of schema %i becomes what a new one is',
    (version) => {
      const fresh = connect(IN_MEMORY);
      migrate(fresh);
      migrate(connection, MIGRATIONS.slice(0, version));

      migrate(connection);

      const schema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name';
      expect(connection.prepare(schema).all()).toEqual(fresh.prepare(schema).all());
      fresh.close();
    },
  );

  test('a second run changes nothing', () => {
    migrate(connection);
    connection.exec("INSERT INTO meta VALUES ('fact', x'00')");

    migrate(connection);

    expect(connection.prepare('SELECT name FROM meta').pluck().all()).toEqual(['fact']);
  });

  test('the totals of artifacts begin with those that were there before they were kept', () => {
    migrate(connection, MIGRATIONS.slice(0, 2));
    const insert = connection.prepare(
      "INSERT INTO artifact VALUES (?, 's', ?, ?, 'png', 1, 1, 50, ?, 0)",
    );
    for (const [id, state] of Object.entries({ a: 'published', b: 'published', c: 'pending' })) {
      insert.run(id, state, `${id}.png`, 'ab'.repeat(32));
    }

    migrate(connection);
    connection.exec("DELETE FROM artifact WHERE id = 'a'");
    connection.exec("UPDATE artifact SET state = 'published' WHERE id = 'c'");

    const totals = connection.prepare('SELECT artifacts, bytes FROM artifact_total').all();
    expect(totals).toEqual([{ artifacts: 2, bytes: 100 }]);
  });

  test('jobs from before there were owners are kept without an owner and never run', () => {
    migrate(connection, MIGRATIONS.slice(0, MIGRATIONS.indexOf(JOB)));
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
  });

  test.each([4, 9])(
    'jobs of schema %i get the size and the number of images of their requests',
    (version) => {
      migrate(connection, MIGRATIONS.slice(0, version));
      const image = { type: 'stored' };
      const plain = { images: [], mask: null, reference_images: [] };
      const request = (size: string, more: object = {}) =>
        JSON.stringify({ parameters: { size }, ...plain, ...more });
      addJob('planned', request('1000x1000'), JSON.stringify({ effective: { size: '1024x1024' } }));
      addJob('failed', request('640x480', { images: [image, image], mask: image }));
      addJob('early', request('auto', { images: [image], reference_images: [image] }));
      addJob('foreign', '{"prompt":"a cat"}');
      addJob('broken', 'no JSON');

      migrate(connection);

      const facts = connection.prepare('SELECT id, size, inputs FROM job ORDER BY seq');
      expect(facts.raw().all()).toEqual([
        ['planned', '1024x1024', 0],
        ['failed', '640x480', 3],
        ['early', 'auto', 2],
        ['foreign', 'auto', 0],
        ['broken', 'auto', 0],
      ]);
    },
  );

  test('the stored images of active jobs keep their sizes, and ended jobs have none', () => {
    migrate(connection, MIGRATIONS.slice(0, 9));
    const [one, two] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const image = (sha256: string, bytes: number) => ({ type: 'stored', sha256, bytes });
    const request = JSON.stringify({
      metadata: { sha256: one, bytes: 'many' },
      images: [image(one, 70)],
      mask: image(two, 30),
      reference_images: [],
    });
    addJob('done', request, '{}');
    addJob('first', request);
    addJob('second', request);
    connection.exec(`
      DROP TRIGGER job_moves_on;
      UPDATE job SET status = 'queued', started = NULL, completed = NULL, error_code = NULL,
        reserved = 1 WHERE seq > 1;
      INSERT INTO job_input VALUES (2, '${one}'), (2, '${two}'), (3, '${one}');`);

    migrate(connection);

    const inputs = connection.prepare(
      'SELECT seq, sha256, bytes FROM job_input ORDER BY seq, sha256',
    );
    expect(inputs.raw().all()).toEqual([
      [2, one, 70],
      [2, two, 30],
      [3, one, 70],
    ]);
  });

  test('running jobs get accounts of which all calls may have been sent, and queued jobs keep their charge', () => {
    migrate(connection, MIGRATIONS.slice(0, 17));
    for (const id of ['done', 'queued', 'running']) addJob(id, '{}', '{}');
    connection.exec(`
      DROP TRIGGER job_moves_on;
      UPDATE job SET token = 'alice', outputs = 2, created = 86400;
      UPDATE job SET status = id, started = iif(id = 'running', 1, NULL), completed = NULL,
        reserved = 1 WHERE id <> 'done';`);

    migrate(connection);

    const ledgers = connection.prepare('SELECT id, token, day, outputs, reserved FROM ledger');
    expect(ledgers.raw().all()).toEqual([['running', 'alice', 1, 2, 2]]);
    const charges = connection.prepare(
      'SELECT id, day, allowance FROM job_content JOIN job USING (seq) ORDER BY seq',
    );
    expect(charges.raw().all()).toEqual([
      ['done', null, null],
      ['queued', 1, null],
      ['running', null, null],
    ]);
    expect(connection.prepare('SELECT * FROM ledger_row').raw().all()).toEqual([
      ['running', 0, 0, 'sandbox'],
      ['running', 0, 1, 'sandbox'],
    ]);
  });

  function addJob(id: string, request: string, result: string | null = null): void {
    const job = connection.prepare(`
      INSERT INTO job (
        id, scope, status, created, updated, started, completed, operation, provider, outputs,
        error_code, bytes, reserved, prompt
      ) VALUES (?, 's', ?, 1, 1, 1, 1, 'generate', 'sandbox', 1, ?, 600, 0, 'a cat')`);
    job.run(id, result ? 'succeeded' : 'failed', result ? null : 'upstream');
    const content =
      'INSERT INTO job_content (seq, request_id, request, result) VALUES (?, ?, ?, ?)';
    const sequence = connection.prepare('SELECT max(seq) FROM job').pluck().get();
    connection.prepare(content).run(sequence, 'r', request, result);
  }

  test('a migration that fails half-way undoes those before it', () => {
    const half = 'CREATE TABLE third (a) STRICT_; CREATE TABLE fourth (a);';
    migrate(connection, ['CREATE TABLE first (a)']);

    expect(() =>
      migrate(connection, ['CREATE TABLE first (a)', 'CREATE TABLE second (a)', half]),
    ).toThrow(/^state\.directory: migration 3 .* untouched$/);
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

  test.each([SCHEMA_VERSION + 1, 2 ** 31 - 1, -1])('schema %i is refused by name', (version) => {
    expect(() => refuseNewerSchema(version)).toThrow(/^state\.directory: .*schema/);
  });
});
