import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../../../lib/storage/sqlite/connection.ts';
import { stateDatabaseFile } from '../../../lib/storage/sqlite/database.ts';
import { DURABLE, startPostgres } from '../../support/engines/postgres-server.ts';
import { startS3Gateway } from '../../support/engines/s3-gateway.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { BUSY_SCOPE, writeJobs } from './million-jobs.ts';
import { moveState } from './move-state.ts';

const JOBS = Number(process.env['MOVED_JOBS'] ?? 1_000_000);
const FILES = Number(process.env['MOVED_FILES'] ?? 10_000);
const FILE_BYTES = 100_000;

const INSERT = `
  INSERT INTO artifact (id, scope, state, name, format, width, height, bytes, sha256, created_secs)
  VALUES (@id, '${BUSY_SCOPE}', 'published', @name, 'png', 640, 480, ${FILE_BYTES}, @sha256, 1700000000)`;

/** `state move` of many jobs and files: from SQLite and a folder to PostgreSQL and a bucket, and back. */
export const stateMove: Bench = {
  name: 'state-move',
  async run({ folder }) {
    const [postgres, s3] = [await startPostgres(DURABLE), await startS3Gateway()];
    try {
      await mkdir(join(s3.buckets, 'bench'));
      await writeState(folder);
      await writeConfigurations(folder, s3);
      const env = {
        DATABASE_URL: postgres.url,
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      };
      const there = await moveState({ folder, from: 'one', to: 'many', env });
      await rename(join(folder, 'state'), join(folder, 'old-state'));
      await rm(join(folder, 'images'), { recursive: true });
      const back = await moveState({ folder, from: 'many', to: 'one', env });
      return [row('to PostgreSQL and a bucket', there), row('back', back)];
    } finally {
      await Promise.all([postgres.stop(), s3.stop()]);
    }
  },
};

function row(direction: string, ms: number): Row {
  return {
    what: `state move ${direction}, ${JOBS} jobs and ${FILES} files of ${FILE_BYTES} bytes, verified`,
    ours: `${Math.round(ms / 1000)} s`,
    budget: '< 300 s',
  };
}

async function writeState(folder: string): Promise<void> {
  const [state, images] = [join(folder, 'state'), join(folder, 'images')];
  await mkdir(state);
  await mkdir(join(images, '.staging'), { recursive: true });
  const file = stateDatabaseFile(state);
  writeJobs(file, JOBS);
  const database = connect(file);
  const insert = database.prepare(INSERT);
  database.exec('BEGIN');
  for (let nth = 0; nth < FILES; nth += 1) {
    const bytes = randomBytes(FILE_BYTES);
    const name = `${nth}.png`;
    await writeFile(join(images, name), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    insert.run({ id: randomBytes(16).toString('hex'), name, sha256 });
  }
  database.exec(`UPDATE artifact_total SET artifacts = ${FILES}, bytes = ${FILES * FILE_BYTES}`);
  database.exec('COMMIT');
  database.close();
}

async function writeConfigurations(
  folder: string,
  { endpoint, region }: { readonly endpoint: string; readonly region: string },
): Promise<void> {
  const one = `
    [state]
    directory = "state"
    [artifacts]
    root = "images"
  `;
  const many = `
    [state]
    driver = "postgres"
    [artifacts]
    driver = "s3"
    [artifacts.s3]
    bucket = "bench"
    endpoint = "${endpoint}"
    region = "${region}"
    allow_http = true
    path_style = true
  `;
  await writeFile(join(folder, 'one.toml'), one);
  await writeFile(join(folder, 'many.toml'), many);
}
