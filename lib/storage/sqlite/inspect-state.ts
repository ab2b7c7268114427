import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import * as v from 'valibot';
import { JOB_STATUSES } from '../../contract/resources/job.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { ROW_BYTES } from '../jobs/job-rows.ts';
import { type Connection, connect, schemaVersion } from './connection.ts';
import { copyDatabase } from './copy-database.ts';
import { refuseForeignDatabase, type StateDatabase } from './database.ts';
import { peekFileHeader, refuseForeignLog } from './database-file.ts';
import { toOpenError } from './driver-errors.ts';
import { migrate, SCHEMA_VERSION } from './migrations.ts';

// Counts the totals from the rows. The columns of `job_total` must have the same values.
const JOB_RECOUNT = `
  SELECT
    ${JOB_STATUSES.map((status) => `count(*) FILTER (WHERE status = '${status}') AS ${status}`).join(', ')},
    count(*) FILTER (WHERE deleted IS NOT NULL) AS hidden,
    count(*) FILTER (WHERE favorite = 1) AS favorite,
    coalesce(sum(bytes), 0) AS bytes,
    coalesce(sum(reserved), 0) AS reserved,
    count(*) FILTER (WHERE completed IS NOT NULL AND favorite = 0) AS ordinary_jobs,
    coalesce(sum(bytes) FILTER (WHERE completed IS NOT NULL AND favorite = 0), 0) + (
      SELECT coalesce(sum(input.bytes), 0)
      FROM (SELECT max(seq) AS last, bytes FROM job_input GROUP BY sha256) AS input
      JOIN job ON job.seq = input.last
      WHERE completed IS NOT NULL AND favorite = 0
    ) AS ordinary_bytes
  FROM job`;
const WRONG_ACTIVE = `
  SELECT count(*) AS providers FROM job_active LEFT JOIN (
    SELECT provider,
      count(*) FILTER (WHERE status = 'queued') AS queued,
      count(*) FILTER (WHERE status = 'running') AS running
    FROM job GROUP BY provider
  ) AS found USING (provider)
  WHERE job_active.queued <> coalesce(found.queued, 0)
    OR job_active.running <> coalesce(found.running, 0)`;
const WRONG_SCOPES = `
  SELECT count(*) AS scopes FROM (
    SELECT
      scope,
      count(*) FILTER (WHERE status = 'queued') AS queued,
      sum(bytes + reserved) AS held,
      count(*) FILTER (WHERE completed IS NOT NULL AND favorite = 0) AS ordinary_jobs,
      coalesce(sum(bytes + coalesce(input_bytes, 0))
        FILTER (WHERE completed IS NOT NULL AND favorite = 0), 0) AS ordinary_bytes
    FROM job LEFT JOIN (
      SELECT last, sum(bytes) AS input_bytes
      FROM (SELECT max(seq) AS last, bytes FROM job_input GROUP BY sha256) GROUP BY last
    ) ON last = job.seq
    GROUP BY scope
  ) AS found FULL JOIN job_scope AS kept USING (scope)
  WHERE (found.queued, found.held, found.ordinary_jobs, found.ordinary_bytes)
    IS NOT (kept.queued, kept.held, kept.ordinary_jobs, kept.ordinary_bytes)`;
const ARTIFACT_RECOUNT = `
  SELECT count(*) AS artifacts, coalesce(sum(bytes), 0) AS bytes FROM artifact
  WHERE state = 'published'`;
const WRONG_SIZES = `
  SELECT count(*) AS jobs FROM job LEFT JOIN job_content ON job_content.seq = job.seq
  WHERE job.bytes IS NOT ${ROW_BYTES} + octet_length(prompt) + octet_length(request)
    + coalesce(octet_length(result), 0) + coalesce(octet_length(partial_result), 0)
    + coalesce(octet_length(error), 0) + octet_length(artifacts) - octet_length('[]')
    + octet_length(labels) - octet_length('[]')
    + coalesce((SELECT octet_length(url) FROM webhook WHERE webhook.seq = job.seq), 0)`;

const INTEGRITY = 'PRAGMA integrity_check(100)';
// Skips the check that every row is in every index, which takes most of the time.
const QUICK = 'PRAGMA quick_check(1)';

const IntegrityRows = v.array(v.object({ integrity_check: v.string() }));
const QuickRows = v.array(v.object({ quick_check: v.string() }));

const Counts = v.record(v.string(), v.number());

/** See `StateInspection.check`. */
export function findProblems(file: string): readonly string[] {
  return withDatabase(file, (connection) => {
    const version = schemaVersion(connection);
    if (version < SCHEMA_VERSION) {
      throw new BridgeError(
        'configuration',
        `state.directory: the database has schema ${version}, older than ${SCHEMA_VERSION}; start the bridge to migrate the database`,
      );
    }
    return findStateProblems(connection);
  });
}

/** Returns the schema of a database that a bridge may be using. Returns undefined if no database exists. */
export function findSchema(file: string): number | undefined {
  if (peekFileHeader(file) === 'absent') return undefined;
  return withDatabase(file, schemaVersion);
}

/** See `StateInspection.quickCheck`. */
export function findBrokenPages(file: string): readonly string[] {
  return withDatabase(file, findDamagedPages).map((it) => `${resolve(file)} is damaged: ${it}`);
}

/** See `StateInspection.tryMigration`. The copy is in a temporary folder. */
export function rehearseMigration(file: string, migrations: readonly string[]): readonly string[] {
  const temporary = mkdtempSync(join(dirname(file), '.state-migration-'));
  try {
    const copy = join(temporary, 'copy.sqlite');
    copyState(file, copy);
    return withDatabase(copy, (connection) => {
      migrate(connection, migrations);
      return findStateProblems(connection);
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Checks a copy that nothing else uses, and returns one sentence for each problem. In an older schema, only SQLite's checks run. */
export function findCopyProblems(file: string): readonly string[] {
  return withDatabase(file, (connection) =>
    schemaVersion(connection) < SCHEMA_VERSION
      ? findDamage(connection)
      : findStateProblems(connection),
  );
}

/** See `StateInspection.backUp`. */
export function copyState(file: string, target: string): boolean {
  return withDatabase(file, (connection) => copyDatabase(connection, target));
}

function withDatabase<T>(file: string, work: (connection: Connection) => T): T {
  if (peekFileHeader(file) === 'absent') {
    throw new BridgeError('configuration', 'state.directory: the folder contains no database');
  }
  refuseForeignDatabase(file);
  let connection: Connection | undefined;
  try {
    refuseForeignLog(file);
    connection = connect(file);
    return work(connection);
  } catch (error) {
    throw toOpenError(error, file);
  } finally {
    connection?.close();
  }
}

type Readable = Pick<StateDatabase, 'prepare'>;

/**
 * Reads a whole database in the newest schema, and returns one sentence for each problem. Takes minutes for millions of jobs.
 * Changes nothing.
 */
export function findStateProblems(database: Readable): readonly string[] {
  try {
    const damage = findDamage(database);
    // In a damaged database, wrong counts are only a consequence of the damage.
    return damage.length > 0 ? damage : findMiscounts(database);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return ['the database is damaged: some pages cannot be read'];
  }
}

/** Returns one sentence for each problem that SQLite's own checks find, in a database of any schema. */
function findDamage(database: Readable): readonly string[] {
  const rows = v.parse(IntegrityRows, database.prepare(INTEGRITY).all());
  const findings = rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
  const orphans =
    database.prepare('PRAGMA foreign_key_check').all().length > 0 ? ['a row has no parent'] : [];
  return [...findings, ...orphans].map((finding) => `the database is damaged: ${finding}`);
}

/** Checks the form of every page and row, in a database of any schema. This check is about ten times as fast as `findDamage`. */
function findDamagedPages(database: Readable): readonly string[] {
  const rows = v.parse(QuickRows, database.prepare(QUICK).all());
  return rows.map((row) => row.quick_check).filter((finding) => finding !== 'ok');
}

function findMiscounts(database: Readable): readonly string[] {
  const wrongSizes = count(database, WRONG_SIZES, 'jobs');
  const wrongActive = count(database, WRONG_ACTIVE, 'providers');
  const wrongScopes = count(database, WRONG_SCOPES, 'scopes');
  return [
    ...differences(database, 'job_total', JOB_RECOUNT),
    ...differences(database, 'artifact_total', ARTIFACT_RECOUNT),
    ...(wrongActive > 0 ? [`the active jobs of ${wrongActive} providers are miscounted`] : []),
    ...(wrongScopes > 0 ? [`the jobs of ${wrongScopes} scopes are miscounted`] : []),
    ...(wrongSizes > 0 ? [`the recorded sizes of ${wrongSizes} jobs are wrong`] : []),
  ];
}

function differences(database: Readable, table: string, recount: string): readonly string[] {
  const kept = v.parse(Counts, database.prepare(`SELECT * FROM ${table}`).get());
  const found = v.parse(Counts, database.prepare(recount).get());
  return Object.entries(found)
    .filter(([name, value]) => kept[name] !== value)
    .map(([name, value]) => `${table}.${name} is ${kept[name]} and must be ${value}`);
}

function count(database: Readable, sql: string, name: string): number {
  return v.parse(Counts, database.prepare(sql).get())[name] ?? 0;
}
