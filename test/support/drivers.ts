import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A row of the state database. */
export type StateRow = Readonly<Record<string, unknown>>;

/** The stored state of a bridge that works in a folder, with the default settings of its folders. */
export interface StoredState {
  /** The folder in which each artifact is a file with the name of the artifact. */
  readonly artifacts: string;
  /** Lists the files and the objects of artifacts by their names, including unfinished files. */
  listArtifacts(): Promise<readonly string[]>;
  /** Lists the files and the objects of the input images of jobs. */
  listInputs(): Promise<readonly StoredInput[]>;
  /** Runs SQL text that both databases understand, and resolves with the rows of its statement. */
  query(sql: string): Promise<readonly StateRow[]>;
}

/** A stored input image of a job. */
export interface StoredInput {
  readonly sha256: string;
  readonly path: string;
}

/** The drivers of a run. Bridges that work in the same folder share a state. */
export interface Drivers {
  /** Returns the variables that select the drivers for a bridge that works in the folder. */
  variables(folder: string): Readonly<Record<string, string>>;
  /** Returns the state of the bridges that work in the folder. */
  stateOf(folder: string): StoredState;
}

/** True if `STORES` selects PostgreSQL and a bucket instead of the default drivers. */
export const IS_SCALED = process.env['STORES'] === 'scaled';

/** True if each bridge of the tests is two replicas behind HAProxy. */
export const IS_BALANCED = process.env['BALANCED'] === 'true';

/** The commands that check all stored data. PostgreSQL has its own programs for the check of a database. */
export const CHECKS: readonly (readonly string[])[] = [
  ...(IS_SCALED ? [] : [['state', 'check']]),
  ['artifacts', 'verify'],
];

/**
 * Resolves with the drivers that `STORES` selects: with `scaled`, PostgreSQL and a bucket, otherwise the default drivers. All test
 * files share the servers, which lose everything at the end of the run.
 */
export async function openDrivers(): Promise<Drivers> {
  if (!IS_SCALED) return { variables: () => ({}), stateOf: stateOfFolder };
  // These modules need vitest. The benchmarks, which run without vitest, use the default drivers.
  const { createBucket } = await import('./s3-server.ts');
  const { createSchema } = await import('./postgres.ts');
  const { query } = await import('./engines/postgres-server.ts');
  const [s3, postgres] = await Promise.all([createBucket(), createSchema()]);
  const access = {
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    AWS_REGION: s3.region,
  };
  // The AWS SDK of a bridge in this process reads the variables of the process.
  Object.assign(process.env, access);
  return {
    variables(folder) {
      const name = nameOf(folder);
      return {
        ...access,
        DATABASE_URL: postgres.url,
        IMAGE_BRIDGE__STATE__DRIVER: 'postgres',
        IMAGE_BRIDGE__STATE__POSTGRES__SCHEMA: `test_${name}`,
        IMAGE_BRIDGE__STATE__POSTGRES__MAX_CONNECTIONS: '4',
        // On a busy machine, a hundred concurrent requests wait longer for these connections than the default allows.
        IMAGE_BRIDGE__STATE__POSTGRES__STATEMENT_TIMEOUT_MS: '30000',
        IMAGE_BRIDGE__REPLICA__LEASE_MS: '5000',
        IMAGE_BRIDGE__ARTIFACTS__DRIVER: 's3',
        IMAGE_BRIDGE__ARTIFACTS__S3__BUCKET: s3.bucket,
        IMAGE_BRIDGE__ARTIFACTS__S3__PREFIX: name,
        IMAGE_BRIDGE__ARTIFACTS__S3__ENDPOINT: s3.endpoint,
        IMAGE_BRIDGE__ARTIFACTS__S3__ALLOW_HTTP: 'true',
        IMAGE_BRIDGE__ARTIFACTS__S3__PATH_STYLE: 'true',
      };
    },
    stateOf(folder) {
      const name = nameOf(folder);
      const artifacts = join(s3.folder, name);
      return {
        artifacts,
        listArtifacts: async () =>
          // The names of other objects begin with a dot.
          (await listFiles(artifacts)).filter((it) => !it.startsWith('.')),
        async listInputs() {
          const folder = join(artifacts, '.inputs');
          // Each period of ten minutes has an object of its own.
          return (await listFiles(folder)).map((path) => ({
            sha256: path.split('/')[0] ?? '',
            path: join(folder, path),
          }));
        },
        query: (sql) => query(`${postgres.url}?options=-csearch_path%3Dtest_${name}`, sql),
      };
    },
  };
}

function nameOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}

function stateOfFolder(folder: string): StoredState {
  const [artifacts, state] = [join(folder, 'data/artifacts'), join(folder, 'data/state')];
  return {
    artifacts,
    listArtifacts: () => listFiles(artifacts),
    async listInputs() {
      const inputs = join(state, 'inputs');
      return (await listFiles(inputs)).map((path) => ({
        sha256: path.split('/').at(-1) ?? '',
        path: join(inputs, path),
      }));
    },
    async query(sql) {
      const { default: Sqlite } = await import('better-sqlite3');
      const database = new Sqlite(join(state, 'bridge.sqlite'));
      try {
        const statement = database.prepare(sql);
        if (statement.reader) return statement.all() as StateRow[];
        statement.run();
        return [];
      } finally {
        database.close();
      }
    },
  };
}

/** Lists the paths of all files below a folder, relative to the folder. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
