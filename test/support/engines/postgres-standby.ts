import { execFile } from 'node:child_process';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type PostgresServer, query, startServer } from './postgres-server.ts';

/** A server that replicates another server. */
export interface PostgresStandby extends PostgresServer {
  /** Makes the standby a primary, after the other server has ended. Resolves when it accepts writes. */
  promote(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Starts a standby by streaming replication, and makes each commit of the primary wait for the standby. Therefore no acknowledged
 * commit is lost when the standby is promoted.
 */
export async function startStandby(primary: PostgresServer): Promise<PostgresStandby> {
  const standby = await startServer(({ data }) => copyData(primary, data));
  await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(primary.url, 'SELECT pg_reload_conf()');
  return {
    ...standby,
    promote: async () => void (await query(standby.url, 'SELECT pg_promote()')),
  };
}

/** Copies the data of a running server (https://www.postgresql.org/docs/current/continuous-archiving.html). */
async function copyData(primary: PostgresServer, data: string): Promise<void> {
  async function createFile(name: string, text: string): Promise<void> {
    const { uid, gid } = await stat(primary.data);
    await writeFile(join(data, name), text);
    await chown(join(data, name), uid, gid);
  }

  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    // The backup belongs to the session.
    await client.query("SELECT pg_backup_start('standby', true)");
    await run('cp', ['--archive', primary.data, data]);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await createFile('backup_label', rows[0].labelfile);
  } finally {
    await client.end();
  }
  await rm(join(data, 'postmaster.pid'));
  await createFile('standby.signal', '');
  const { hostname, port } = new URL(primary.url);
  await appendFile(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=postgres'\n`,
  );
}
