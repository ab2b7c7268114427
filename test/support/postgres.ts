import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { askEngine } from './engines/ask-engine.ts';
import { isPostgresInstalled, type PostgresConnection, query } from './engines/postgres-server.ts';

/** The way to the tables of one test. */
export interface TestSchema extends PostgresConnection {
  /** The name of a schema that does not exist yet and that no other test uses. */
  readonly schema: string;
  /** Removes the schema with all its tables. */
  drop(): Promise<void>;
}

/** True if a server is installed or must be. `describe.runIf(HAS_POSTGRES)` skips tests without a server, except in CI. */
export const HAS_POSTGRES: boolean = isPostgresInstalled();

/** Resolves with a schema of the server that all test files of this run share. The caller drops the schema. */
export async function createSchema(): Promise<TestSchema> {
  const connection = await askEngine<PostgresConnection>('postgres');
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  return {
    ...connection,
    schema,
    async drop() {
      // A transaction that a test has left open fails its test here, and holds up no other.
      await query(
        connection.url,
        `SET lock_timeout = '10s'; DROP SCHEMA IF EXISTS ${schema} CASCADE`,
      );
    },
  };
}

/** Resolves with a schema that is dropped after the current test. */
export async function emptySchema(): Promise<TestSchema> {
  const schema = await createSchema();
  onTestFinished(schema.drop);
  return schema;
}
